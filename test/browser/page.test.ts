import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { callTool, finish } from "../support/agents.ts"
import { dataPresent, hostileStrings, triedOf } from "../support/corpora.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { english, openPage, useBrowser, violations } from "./opened.ts"

const open = useBrowser()
const card = (page: Page, text: string) => page.getByRole("navigation").getByRole("button").filter({ hasText: text })

/** Saves the turn that a page shows as a file, and opens that from disk. */
async function openSaved(page: Page): ReturnType<typeof openPage> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save as HTML" }).click()])
  const path = `${tempFolder()}/turn.html`
  await download.saveAs(path)
  return openPage(pathToFileURL(path).href)
}

describe("chat", () => {
  test("shows the request as soon as it is sent, and an answer as it comes", async () => {
    const gate = Promise.withResolvers<void>()
    const model: LanguageModel = {
      id: "gated",
      capabilities: { developerRole: false, tools: false },
      async *stream() {
        yield { type: "text-delta", delta: '{"action":"finish","message":"The first words' }
        await gate.promise
        yield { type: "text-delta", delta: ' and the last."}' }
        yield { type: "finish", reason: "stop" }
      },
    }
    const { page, problems } = await open([], { model, profile: english, chat: true })
    await page.getByRole("textbox", { name: "Message" }).fill("Tell me")
    await page.keyboard.press("Enter")
    await card(page, "The first words").waitFor()
    expect(await card(page, "Tell me").textContent()).toMatch(/running planner[\s\S]*The first words/u)
    await page.locator(".row", { hasText: "You are Fay, a calm guide" }).waitFor()
    await page.getByRole("region", { name: "Text of the request" }).focus()
    await page.keyboard.press("n")
    await page.locator(".span-info", { hasText: "persona" }).waitFor()
    gate.resolve()
    await card(page, "The first words and the last.").waitFor()
    await page.getByRole("slider").waitFor()
    expect(await page.locator(".span-info").textContent()).toContain("persona")
    expect(problems).toEqual([])
  })
})

describe("a turn", () => {
  test("is chosen by a click; each part of its request tells where it comes from", async () => {
    const { page, session, problems } = await open([callTool("look"), finish("It is three."), finish("Almost four.")], {
      profile: english,
    })
    await session.send("What time is it?").result
    session.stack.add({ key: "mood", content: "calm as a lake", scope: "global" })
    await session.send("And now?").result
    const main = page.getByRole("main")
    await main.getByText("Almost four.").first().waitFor()
    expect(await main.locator(".row.change").textContent()).toMatch(/changed since the request before: .*tokens lost/u)
    await main.getByText("calm as a lake").hover()
    expect(await page.locator(".span-info").textContent()).toMatch(
      /^mood part content trust author changes global tokens \d+ priority \d+/u,
    )
    await main.getByText("Reply with exactly one JSON object").hover()
    expect(await page.locator(".span-info").textContent()).toMatch(/\(frame\).*source layered\/en\/\w+\.md:\d+/u)
    await card(page, "What time is it?").click()
    await main.getByText("It is three.").first().waitFor()
    await main.getByRole("combobox", { name: "Request" }).selectOption("1")
    await main.locator(".row", { hasText: "three" }).first().waitFor()
    await main.getByRole("tab", { name: "Waterfall" }).click()
    await main.getByRole("rowheader", { name: "tool look" }).waitFor()
    await page.keyboard.press("ArrowRight")
    await main.locator(".row", { hasText: '"role": "system"' }).first().waitFor()
    expect(problems).toEqual([])
  })

  test("is assembled again with another budget and without a layer, and shown as it was sent again", async () => {
    const { page, session, problems } = await open([finish("word ".repeat(150)), finish("Done.")], { profile: english })
    session.stack.add({ key: "mood", content: "calm as a lake", scope: "session" })
    await session.send("Talk to me.").result
    await session.send("Now stop.").result
    await page.getByText("calm as a lake").waitFor()
    await page.getByRole("checkbox", { name: "on: mood" }).uncheck()
    await page.getByText("Preview: this request was not sent.").waitFor()
    expect(await page.locator(".row", { hasText: "calm as a lake" }).count()).toBe(0)
    await page.getByRole("slider").fill("180")
    await page
      .getByRole("row", { name: /history/u })
      .getByText(/shortened|dropped/u)
      .waitFor()
    await page.getByRole("button", { name: "Show it as it was sent" }).click()
    await page.locator(".row", { hasText: "calm as a lake" }).waitFor()
    await page.getByRole("button", { name: "Assemble it from the files as they are now" }).click()
    await page.getByText("It is the same as the one that was sent.").waitFor()
    expect(problems).toEqual([])
  })

  test("is read with keys alone", async () => {
    const { page, session } = await open([finish("Yes.")], { profile: english })
    await session.send("Hello").result
    await page.getByRole("region", { name: "Text of the request" }).focus()
    await page.keyboard.press("n")
    await page.locator(".span-info", { hasText: "persona" }).waitFor()
    for (let at = 0; at < 50; at++) await page.keyboard.press("n")
    await page.locator(".span-info", { hasText: "question" }).waitFor()
    await page.keyboard.press("p")
    expect(await page.locator(".span-info").textContent()).not.toContain("question")
  })

  test("is saved as one file that shows it without network", async () => {
    const { page, session } = await open([finish("It is </script> three.")], { profile: english })
    await session.send("What <b>time</b> is it?").result
    const saved = await openSaved(page)
    await saved.page.getByText("What <b>time</b> is it?").first().waitFor()
    await saved.page.locator(".row", { hasText: "You are Fay, a calm guide" }).waitFor()
    expect(await saved.page.getByRole("slider").count()).toBe(0)
    expect(saved.problems).toEqual([])
  })
})

describe("a long request", () => {
  test("of a million characters is in the document only as far as it is on the screen, and can be read to its end", async () => {
    const line = "The museum has 12 rooms, 展厅安静. "
    const long = `${line.repeat(Math.ceil(1_000_000 / line.length))}The last words.`
    const { page, session, problems } = await open([finish("Yes.")], { profile: english })
    await session.send(long).result
    const region = page.getByRole("region", { name: "Text of the request" })
    await region.locator(".row", { hasText: "The museum has" }).first().waitFor()
    await region.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await region.locator(".row", { hasText: "The last words." }).waitFor()
    expect(await page.locator(".row").count()).toBeLessThan(200)
    expect(problems).toEqual([])
  })
})

describe("many turns", () => {
  test("of 2,000 are listed by pages, and the first of them is found by its words and shown", async () => {
    const model: LanguageModel = {
      id: "brief",
      capabilities: { developerRole: false, tools: false },
      async *stream() {
        yield { type: "text-delta", delta: finish("Yes.") }
        yield { type: "finish", reason: "stop" }
      },
    }
    const { agent, page, problems } = await open([], { model, profile: english, maxTurns: 2_000, maxBytes: 1_000_000_000 })
    for (let at = 0; at < 2_000; at++) await agent.session(`room ${at % 20}`).send(`Question ${at}.`).result
    await card(page, "Question 1999.").waitFor()
    await page.reload()
    await card(page, "Question 1999.").waitFor()
    expect(await page.getByRole("navigation").getByRole("listitem").count()).toBe(50)
    await page.getByRole("button", { name: "Earlier turns" }).click()
    await card(page, "Question 1900.").waitFor()
    await page.getByRole("searchbox").fill("Question 0.")
    await card(page, "Question 0.").click()
    await page.locator(".row", { hasText: "Question 0." }).waitFor()
    await page.getByRole("tab", { name: "Growth" }).click()
    await page.getByRole("row", { name: /^Question 1980\./u }).waitFor()
    expect(await page.getByRole("table").getByRole("row").count()).toBe(101)
    expect(problems).toEqual([])
  })
})

describe("the connection", () => {
  test("shows a turn once that began and ended while the list was asked for", async () => {
    const { page, session } = await open([finish("one")], { profile: english })
    const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.getByText("Live").waitFor()
    await page.route("**/api/turns?*", async (route) => {
      const response = await route.fetch()
      asked.resolve()
      await ended.promise
      await route.fulfill({ response })
    })
    await page.getByRole("searchbox").fill("before")
    await asked.promise
    await session.send("before").result
    await page.locator(".turn.answered", { hasText: "one" }).waitFor()
    const answered = page.waitForResponse("**/api/turns?*")
    ended.resolve()
    await (await answered).finished()
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    expect(await card(page, "before").count()).toBe(1)
  })

  test("is made again when the server is back, and shows what happened meanwhile", async () => {
    const { page, session, server, made } = await open([finish("one"), finish("two")], { profile: english })
    await session.send("before").result
    await card(page, "before").waitFor()
    await server.close()
    await page.getByText("Connection lost").waitFor()
    await session.send("meanwhile").result
    const again = await made.listen({ port: Number(new URL(server.url).port) })
    await card(page, "meanwhile").waitFor()
    await page.getByText("Live").waitFor()
    await again.close()
  })
})

describe("text from outside", () => {
  const hostile = [
    "<script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "<svg onload=window.ran=1>",
    "javascript:window.ran=1",
    "</textarea></script><script>window.ran = 1</script>",
    "{{constructor.constructor('window.ran=1')()}}",
    "<iframe srcdoc='<script>parent.ran=1</script>'>",
    "__proto__",
    "\u202eright to left\u202c",
    "\u0000\u0007\u001b[31m",
  ]
  const known = dataPresent ? triedOf(hostileStrings()) : []
  /** The strings of one field of five: each string of outside that is tried stands in one of them. */
  const field = (own: number): string => [...hostile, ...known.filter((_, at) => at % 5 === own)].join("\n")

  test("is shown as it is in every field, and no script of it runs", async () => {
    const short = hostile.slice(0, 9).join(" ")
    const memory = { recall: async () => [{ id: short, text: field(0), speaker: short, score: 1, why: [] }] }
    const model: LanguageModel = {
      id: short,
      capabilities: { developerRole: false, tools: false },
      async *stream() {
        yield { type: "warning", message: short }
        yield { type: "text-delta", delta: finish(field(1)) }
        yield { type: "finish", reason: "stop" }
      },
    }
    const { agent, page, problems } = await open([], {
      model,
      profile: { ...english, persona: field(2), agent: { name: short }, memory: { enabled: true } },
      agentOptions: { memory, onWarning: () => undefined },
    })
    const session = agent.session(short)
    session.stack.add({ key: "mood <img src=x onerror=window.ran=1>", content: field(3), trust: "user" })
    const result = await session.send(field(4), { from: { id: short, name: short } }).result
    const main = page.getByRole("main")
    await main.getByText("<svg onload=window.ran=1>").first().waitFor()
    for (const tab of ["Waterfall", "Raw", "Memories", "Prompt"]) await main.getByRole("tab", { name: tab }).click()
    await card(page, "<script>").first().click()
    const saved = await openSaved(page)
    await saved.page.locator(".row").first().waitFor()
    for (const shown of [page, saved.page]) {
      expect(await shown.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
      expect(await shown.locator("#app script, #app iframe, #app img, #app svg").count()).toBe(0)
    }
    expect(result.ok).toBe(true)
    expect([...problems, ...saved.problems]).toEqual([])
  })
})

describe("a page of another origin", () => {
  test("can neither read, nor frame, nor run anything of the inspector, though it knows the address", async () => {
    const { server, session } = await open([finish("secret answer")], { profile: english })
    await session.send("hi").result
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><p>other"))
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    const { page } = await openPage(`http://localhost:${(other.address() as AddressInfo).port}/`)
    const read = await page.evaluate(async (url) => {
      const tries = [
        fetch(`${url}api/turns`),
        fetch(`${url}api/turns`, { mode: "no-cors" }),
        fetch(`${url}api/chat`, { method: "POST", body: "{}" }),
      ]
      const answers = await Promise.allSettled(tries)
      return Promise.all(answers.map(async (answer) => (answer.status === "fulfilled" ? answer.value.text() : "refused")))
    }, server.url)
    expect(read.join()).not.toContain("secret answer")
    expect(read.filter((text) => text !== "refused" && text !== "")).toEqual([])
    await page.evaluate((url) => {
      const frame = document.createElement("iframe")
      frame.src = url
      const script = document.createElement("script")
      script.src = `${url}page.js`
      document.body.append(frame, script)
      return new Promise((resolve) => {
        script.onerror = resolve
        script.onload = () => document.body.append("the script ran")
      })
    }, server.url)
    expect(await page.locator("body").textContent()).not.toContain("the script ran")
    expect(page.frames().map((frame) => frame.url())).not.toContain(server.url)
    other.close()
  })
})

describe("people who read with other means", () => {
  test.each(["light", "dark"] as const)("find no fault that axe finds, in %s", async (colorScheme) => {
    const { page, session, problems } = await open([callTool("look"), finish("It is three.")], { profile: english, chat: true })
    await page.emulateMedia({ colorScheme })
    await session.send("What time is it?").result
    await page.locator(".row").first().waitFor()
    expect(await violations(page)).toEqual([])
    for (const tab of ["Waterfall", "Growth", "Raw"]) {
      await page.getByRole("tab", { name: tab }).click()
      expect(await violations(page)).toEqual([])
    }
    expect(problems).toEqual([])
  })

  test("read the page at 200 %: nothing is cut off to the side, and axe finds no fault", async () => {
    const { page, session } = await open([finish("It is three.")], { profile: english, chat: true })
    await session.send("What time is it?").result
    // The browser's zoom of 200 % on a screen of 1,400 × 900.
    await page.setViewportSize({ width: 700, height: 450 })
    await page.locator(".row").first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(700)
    for (const tab of ["Growth", "Waterfall", "Prompt"]) {
      await page.getByRole("tab", { name: tab }).click()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(700)
      expect(await violations(page)).toEqual([])
    }
  })

  test("find the page in Chinese too, and on a phone's width", async () => {
    const { page, session } = await open([finish("好的。")], { locale: "zh-CN" })
    await session.send("你好").result
    await page.getByRole("tab", { name: "时间线" }).waitFor()
    await page.setViewportSize({ width: 380, height: 800 })
    await page.locator(".row").first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380)
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh-CN")
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "English" }).click()
    await page.getByRole("tab", { name: "Waterfall" }).waitFor()
  })
})

test("the page has at most 120 kB as it is sent, compressed", async () => {
  const { page, server } = await open([])
  const files = await Promise.all(
    ["", "page.js", "page.css"].map(async (name) => (await page.request.get(server.url + name)).body()),
  )
  expect(files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)).toBeLessThanOrEqual(120_000)
})
