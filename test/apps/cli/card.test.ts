import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readCard } from "../../../src/node/cards/card-file.ts"
import { sampleCard as data } from "../../support/sample-card.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const folder = () =>
  tempFolder({ "mei.json": JSON.stringify({ spec: "chara_card_v2", spec_version: "2.0", data }), "bad.json": "{}" })
const problems = [
  "description: invisible characters are taken out: 1 (control).",
  "alternate_greetings[0]: the macro {{getvar::x}} is not known; the model reads it as it stands.",
  "entries[1]: the entry has no key, so it never enters.",
  "entries[0] The shop: the pattern /(a)\\1/ is not used: a backreference cannot be searched for in linear time.",
]

describe("promptstrata card", () => {
  test("show prints a page: texts, greetings, lore, the tokens of each part, warnings", async () => {
    const { code, stdout, stderr } = await run(["card", "show", `${folder()}/mei.json`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).not.toMatch(/[\p{Cc}--\n]/v)
    await expect(stdout).toMatchFileSnapshot("./__snapshots__/card-show.txt")
  })

  test("show --json prints the card as it is", async () => {
    const { stdout } = await run(["card", "show", `${folder()}/mei.json`, "--json"])
    expect(JSON.parse(stdout)).toMatchObject({ data })
  })

  test("lint says what is wrong and what each part costs, and fails", async () => {
    const { code, stdout } = await run(["card", "lint", `${folder()}/mei.json`])
    expect(code).toBe(1)
    expect(stdout.split("\n\n")[0]?.split("\n")).toEqual(problems.map((problem) => `warning  ${problem}`))
    expect(stdout).toMatch(/\d+ tokens in every turn, up to \d+ with all lore\n$/)
    const bad = await run(["card", "lint", `${folder()}/bad.json`])
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("bad.json:1: expected a character card with a name")])
  })

  test("C9: show and lint take a language: the notes are in it, and lint tells where a card has none", async () => {
    const notes = { creator_notes: "For all.", creator_notes_multilingual: { ja: "みんなへ。", zh: "给大家。" } }
    const json = { spec: "chara_card_v3", data: { name: "Mei", description: "A keeper.", ...notes } }
    const path = `${tempFolder({ "mei.json": JSON.stringify(json) })}/mei.json`
    const shown = async (...args: string[]) =>
      /(?:Creator's notes|作者说明)\n(.*)/.exec((await run(["card", "show", path, ...args])).stdout)?.[1]
    expect(await shown()).toBe("For all.")
    expect(await shown("--locale", "ja-JP")).toBe("みんなへ。")
    expect(await shown("--locale", "zh-CN")).toBe("给大家。")
    const linted = async (...args: string[]) => (await run(["card", "lint", path, ...args])).stdout.split("\n")[0]
    expect(await linted("--locale", "ja")).toBe("No problems found.")
    expect(await linted()).toBe("No problems found.")
    expect(await linted("--locale", "fr")).toBe(
      'warning  creator_notes_multilingual: expected notes in "fr", found none; others are shown in their place.',
    )
  })

  test("C43: lint tells the pictures that are not shown, in the terminal's language", async () => {
    const svg = { type: "emotion", name: "joy", uri: `data:image/svg+xml;base64,${btoa("<svg/>")}`, ext: "svg" }
    const far = { type: "emotion", name: "sad", uri: "https://example.com/sad.png", ext: "png" }
    const json = { spec: "chara_card_v3", data: { name: "Mei", description: "A keeper.", assets: [svg, far] } }
    const path = `${tempFolder({ "mei.json": JSON.stringify(json) })}/mei.json`
    const linted = async (...args: string[]) => (await run(["card", "lint", path, ...args])).stdout.split("\n").slice(0, 2)
    expect(await linted()).toEqual([
      `warning  The picture "joy: ${svg.uri}" is not shown: its first bytes are those of no PNG, JPEG, WebP or GIF.`,
      'warning  The picture "sad: https://example.com/sad.png" is not shown: it stands at an address, and nothing is fetched.',
    ])
    expect(await linted("--locale", "zh-CN")).toEqual([
      `警告  图片 "joy: ${svg.uri}" 不会显示：从开头的字节看，不是 PNG、JPEG、WebP 或 GIF。`,
      '警告  图片 "sad: https://example.com/sad.png" 不会显示：它是网址，这里不会下载。',
    ])
  })

  test("export writes the same card in another form, and replaces no file", async () => {
    const from = folder()
    const { code, stderr } = await run(["card", "export", `${from}/mei.json`, `${from}/mei.charx`])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Wrote .*mei\.charx\.\n$/)])
    expect(readCard(readFileSync(`${from}/mei.charx`)).card.json).toMatchObject({ data })
    const again = await run(["card", "export", `${from}/mei.json`, `${from}/mei.charx`])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("expected to write a new file")])
    const forced = await run(["card", "export", `${from}/bad.json`, `${from}/mei.charx`, "--force"])
    expect([forced.code, readCard(readFileSync(`${from}/mei.charx`)).card.json]).toMatchObject([1, { data }])
    const other = { spec: "chara_card_v2", data: { name: "Other" } }
    writeFileSync(`${from}/other.json`, JSON.stringify(other))
    expect((await run(["card", "export", `${from}/other.json`, `${from}/mei.charx`, "--force"])).code).toBe(0)
    // A CHARX holds a card of V3.
    expect(readCard(readFileSync(`${from}/mei.charx`)).card.json).toMatchObject({
      spec: "chara_card_v3",
      data: { name: "Other" },
    })
    const png = await run(["card", "export", `${from}/mei.json`, `${from}/mei.png`])
    expect([png.code, png.stderr, existsSync(`${from}/mei.png`)]).toEqual([
      2,
      expect.stringContaining("expected a picture"),
      false,
    ])
  })
})

test("C39 card lint tells what a card costs a month with a model's price, and says where none is known", async () => {
  const folder = tempFolder({
    "mei.json": JSON.stringify({ spec: "chara_card_v2", data: { name: "Mei", description: "A cat." } }),
    "one.json": '{ "any": { "input": 1, "output": 1 } }',
    "two.json": '{ "a": { "input": 1, "output": 1 }, "b": { "input": 2, "output": 1 } }',
  })
  const lint = async (args: readonly string[], model?: string) =>
    await run(["card", "lint", `${folder}/mei.json`, ...args], { env: model === undefined ? {} : { PROMPTSTRATA_MODEL: model } })
  const priced = /cost \d+\.\d{4} US dollars a month/
  expect((await lint([])).stdout).not.toMatch(priced)
  expect((await lint([], "nobody-knows-it")).stdout).not.toMatch(priced)
  expect((await lint([], "gpt-5-mini")).stdout).toMatch(priced)
  expect((await lint(["--model", "gpt-5-mini"])).stdout).toMatch(priced)
  expect((await lint(["--prices", `${folder}/one.json`])).stdout).toMatch(priced)
  const none = [
    ["--model", "none-such"],
    ["--prices", `${folder}/two.json`],
  ].map((args) => lint(args))
  expect((await Promise.all(none)).map(({ code, stderr }) => [code, stderr.split(", found")[0]])).toEqual([
    [2, 'error: expected a price for the model "none-such"'],
    [2, 'error: expected a price for the model ""'],
  ])
})
