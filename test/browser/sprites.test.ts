import { deflateSync } from "node:zlib"
import { expect, onTestFinished, test } from "vitest"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { writePngChunks } from "../../src/node/cards/png-chunks.ts"
import { configureFormat, emotionBracket } from "../../src/reply/output/formats.ts"
import { inspected } from "../apps/server/inspector/inspected.ts"
import { english, openPage, useBrowser, violations } from "./opened.ts"

useBrowser()

/** A grey picture that a browser can draw, one pixel high. */
function picture(width: number): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(1, 4)
  header[8] = 8
  const data = deflateSync(Buffer.alloc(1 + width, 128))
  return writePngChunks([
    { type: "IHDR", data: header },
    { type: "IDAT", data },
    { type: "IEND", data: Buffer.alloc(0) },
  ])
}

/** A model whose answer stands still behind each of its pieces until the test lets it go on. */
function pausingModel(pieces: readonly string[]) {
  const gates = pieces.map(() => Promise.withResolvers<void>())
  const model: LanguageModel = {
    id: "pausing",
    capabilities: { developerRole: false, tools: false },
    async *stream() {
      for (const [at, delta] of pieces.entries()) {
        yield { type: "text-delta", delta }
        await gates[at]?.promise
      }
      yield { type: "finish", reason: "stop" }
    },
  }
  return { model, goOn: (at: number) => gates[at]?.resolve() }
}

test("C44 the page shows the portrait, and the picture of the emotion while the answer streams", async () => {
  const widths = { portrait: 5, joy: 6, sad: 7, spass: 8 }
  const pictures = new Map(Object.entries(widths).map(([name, width]) => [name, picture(width)]))
  const { model, goOn } = pausingModel(["[joy] Hello, Ann.\n", "[sad] It rains.\n", "[Spaß] Ha!\n", "[angry] Enough.\n"])
  const own = { name: "own", sprites: () => ({ pictures, problems: [] }) }
  const format = configureFormat(emotionBracket, { emotions: ["joy", "sad", "Spaß", "angry"] })
  const profile = { ...english, output: { format }, plugins: [own], loop: { mode: "chat" as const } }
  const { made } = inspected([], { profile, model, chat: true })
  const server = await made.listen()
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(server.url)
  const shows = async (name: string, width: number) => {
    const image = page.getByRole("img", { name, exact: true })
    await image.waitFor()
    expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(width)
  }
  await shows("Portrait of Fay", widths.portrait)
  expect(await violations(page)).toEqual([])
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Hi")
  await page.keyboard.press("Enter")
  await shows("Fay: joy", widths.joy)
  goOn(0)
  await shows("Fay: sad", widths.sad)
  expect(await page.getByText("running").count()).toBeGreaterThan(0)
  goOn(1)
  // The names of pictures are folded, as by the server.
  await shows("Fay: spass", widths.spass)
  goOn(2)
  // No picture has this emotion, and there is no neutral one.
  await shows("Portrait of Fay", widths.portrait)
  goOn(3)
  await page.getByRole("button", { name: "中文" }).click()
  await shows("Fay 的头像", widths.portrait)
  expect(problems).toEqual([])
})

test("C44 the page of a character without pictures shows none", async () => {
  const { made } = inspected([], { profile: english, chat: true })
  const server = await made.listen()
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(server.url)
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
  await page.waitForLoadState("networkidle")
  expect(await page.getByRole("img").count()).toBe(0)
  expect(problems).toEqual([])
})
