import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { differing } from "../apps/server/inspector/compare/differing.ts"
import { callTool, finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { english, openPage, useBrowser, violations } from "./opened.ts"

const open = useBrowser()

describe("two turns", () => {
  test("stand side by side, with what differs outlined and counted, by keys too", async () => {
    const answers = [finish("It is open."), callTool("look"), finish("It is three.")]
    const { page, agent, session, problems } = await open(answers, { profile: english })
    await session.send("Is it open?").result
    const other = agent.session("other")
    other.stack.add({ key: "mood", content: "angry as a storm", scope: "session" })
    await other.send("What time is it?").result
    const main = page.getByRole("main")
    await main.getByText("It is three.").first().waitFor()
    await main.getByRole("tab", { name: "Compare" }).click()
    const sides = main.getByRole("region", { name: "Both requests" })
    await sides.locator(".added", { hasText: "angry as a storm" }).waitFor()
    expect(await main.getByRole("region", { name: "Left", exact: true }).textContent()).toContain("It is open.")
    expect(await main.getByRole("row", { name: /^mood 0 \d+ \+\d+$/u }).count()).toBe(1)
    await main.getByRole("row", { name: "Calls of the model 1 2 +1" }).waitFor()
    await main.getByText(/They part at mood: added\. The first stable beginning that differs is the session one/u).waitFor()
    expect(await main.locator(".fold").first().textContent()).toMatch(/^\d+ equal lines$/u)
    expect(await violations(page)).toEqual([])
    await sides.focus()
    await page.keyboard.press("n")
    await main.getByText(/^Difference 1 of \d+$/u).waitFor()
    await page.keyboard.press("p")
    await main.getByText(/^Difference (\d+) of \1$/u).waitFor()
    await main.getByRole("combobox", { name: "Request, Right" }).selectOption("1")
    await sides.locator(".added", { hasText: "three" }).first().waitFor()
    await main.getByRole("button", { name: "Swap sides" }).click()
    await sides.locator(".removed", { hasText: "three" }).first().waitFor()
    await main.getByRole("row", { name: "Calls of the model 2 1 −1" }).waitFor()
    await main.getByRole("checkbox", { name: "Only differences" }).uncheck()
    expect(await main.locator(".fold").count()).toBe(0)
    expect(problems).toEqual([])
  })

  test("are read on a phone in Chinese, the right side below the left one, and refused by axe nowhere", async () => {
    const { server, session } = await open([finish("一。"), finish("二。")], { profile: { ...english, locale: "zh-CN" } })
    await session.send("开门了吗？").result
    await session.send("现在几点？").result
    const { page, problems } = await openPage(server.url)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole("tab", { name: "对比" }).click()
    const sides = page.getByRole("region", { name: "两个请求" })
    await sides.locator(".row", { hasText: "+ " }).first().waitFor()
    for (const row of await sides.locator(".row.sides:not(.head)").all()) expect(await row.locator(".cell").count()).toBe(1)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })

  test("show hostile words as text", async () => {
    const hostile = "<img src=x onerror=window.ran=1></script><svg onload=window.ran=1>"
    const { page, session, problems } = await open([finish(hostile), finish(`${hostile} again`)], { profile: english })
    session.stack.add({ key: hostile, content: hostile, scope: "session" })
    await session.send(hostile).result
    session.stack.add({ key: "mood", content: hostile.repeat(2), scope: "session" })
    await session.send(`${hostile}?`).result
    await page.getByRole("tab", { name: "Compare" }).click()
    await page.getByRole("region", { name: "Both requests" }).locator(".added").first().waitFor()
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
    expect(await page.locator("#app script, #app img, #app svg").count()).toBe(0)
    expect(problems).toEqual([])
  })
})

describe("two agents", () => {
  test("show what differs in the prompt of a turn at once, and answer when a person asks; by keys too", async () => {
    const { variant, models } = differing({ calm: "I am calm.", wild: "I am wild!" })
    const prices = { calm: { input: 1, output: 2 } }
    const { page, session, problems } = await open([finish("Yes.")], { profile: english, variant, prices })
    await session.send("How are you?").result
    await page.getByRole("tab", { name: "Compare" }).click()
    await page.getByRole("radio", { name: "Another turn" }).focus()
    await page.keyboard.press("ArrowDown")
    await page.getByText("No model was asked yet.").waitFor()
    await page.getByRole("group", { name: "Left" }).getByLabel("Model").fill("calm")
    await page.getByRole("group", { name: "Right" }).getByLabel("Model").fill("wild")
    await page.getByRole("group", { name: "Right" }).getByLabel("Dialect").fill("stack")
    await page.getByText(/Left: calm reads (?:about )?\d+ tokens \(\d/u).waitFor()
    await page.getByText(/Right: wild reads (?:about )?\d+ tokens and writes at most 1,000 tokens/u).waitFor()
    await page.getByRole("region", { name: "Both requests" }).locator(".added").first().waitFor()
    expect(models.asked).toEqual([])
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "Run both" }).press("Enter")
    await page.getByText("I am wild!").waitFor()
    expect(await page.getByRole("region", { name: "Left", exact: true }).textContent()).toContain("I am calm.")
    await page.getByRole("row", { name: "From the cache 50 % 50 %" }).waitFor()
    await page.getByRole("group", { name: "Right" }).getByLabel("Profile").fill("nobody")
    await page.getByText("Right: expected a profile, found nobody.").waitFor()
    expect(problems.filter((problem) => !problem.includes("422"))).toEqual([])
  })

  test("answer words that nobody has said, without a turn, and stop", async () => {
    const gate = Promise.withResolvers<string>()
    const { variant, models } = differing({ calm: "Well.", slow: () => gate.promise })
    const { server } = await open([], { profile: { ...english, locale: "zh-CN" }, variant })
    const { page } = await openPage(server.url)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole("button", { name: "对比角色" }).click()
    await page.getByRole("textbox", { name: "问题" }).fill("How are you?")
    await page.getByRole("group", { name: "左" }).getByLabel("模型").fill("calm")
    await page.getByRole("group", { name: "右" }).getByLabel("模型").fill("slow")
    await page.getByText(/右: slow 读入/u).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "运行两边" }).click()
    await expect.poll(() => models.asked.includes("slow")).toBe(true)
    await page.getByRole("button", { name: "停止" }).click()
    await page.getByText("还没有调用模型。").waitFor()
    gate.resolve("too late")
    await expect.poll(() => models.running).toBe(0)
    await page.getByRole("button", { name: "回到轮次" }).click()
    await page.getByText("还没有对话").waitFor()
  })
})

describe("a file of questions", () => {
  const fileOf = (text: string) => ({ name: "questions.txt", mimeType: "text/plain", buffer: Buffer.from(text) })

  test("is run by two agents, judged, stopped and saved; mistakes are told with their lines", async () => {
    const hostile = "=<img src=x onerror=window.ran=1>"
    const gate = Promise.withResolvers<string>()
    const slow = Promise.withResolvers<string>()
    const answers = [gate.promise, Promise.resolve("Late."), slow.promise]
    const { variant, models } = differing({ calm: hostile, wild: () => answers.shift() ?? "Again." })
    const { page, problems } = await open([], {
      profile: english,
      variant,
      judge: ({ answers: [first] }) => (first === hostile ? 1 : 0),
    })
    await page.getByRole("button", { name: "Compare agents" }).click()
    await page.getByRole("radio", { name: "File of questions" }).check()
    await page.getByLabel("File of questions", { exact: true }).last().setInputFiles(fileOf('{"question":"a"}\n{"q":1}'))
    await page.getByText("Line 2: expected a JSON object with words in question").waitFor()
    await page
      .getByLabel("File of questions", { exact: true })
      .last()
      .setInputFiles(fileOf(`One?\n${hostile}\nThree?`))
    await page.getByRole("group", { name: "Left" }).getByLabel("Model").fill("calm")
    await page.getByRole("group", { name: "Right" }).getByLabel("Model").fill("wild")
    await page.getByText(/One call for each of 3 questions, .* takes: Left: calm reads .* A judge then compares/u).waitFor()
    expect(models.asked).toEqual([])
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "Run 3 questions by both" }).press("Enter")
    await page.getByText("1 of 3 questions are answered").waitFor()
    gate.resolve("Well.")
    await page.getByText("2 of 3 questions are answered").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByText("2 of 3 questions are answered · stopped").waitFor()
    slow.resolve("never shown")
    await page.getByText(/The judge finds the right side better by 100 % \(95 % interval 34 % to 100 %, 2 questions\)/u).waitFor()
    await page.getByRole("row", { name: "From the cache 50 % 50 % 0 %" }).waitFor()
    expect(await violations(page)).toEqual([])
    const path = `${tempFolder()}/questions.json`
    const [json] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save questions.json" }).click(),
    ])
    await json.saveAs(path)
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ results: [{ line: 1 }, { line: 2, question: hostile }] })
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
    expect(problems).toEqual([])
  })

  test("of 100 MB is refused before it is read, also on a phone in Chinese", async () => {
    const { variant } = differing({})
    const { server } = await open([], { profile: { ...english, locale: "zh-CN" }, variant })
    const { page, problems } = await openPage(server.url)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole("button", { name: "对比角色" }).click()
    await page.getByRole("radio", { name: "问题文件" }).check()
    const path = `${tempFolder()}/large.txt`
    writeFileSync(path, "")
    truncateSync(path, 100_000_000)
    await page.getByLabel("问题文件", { exact: true }).last().setInputFiles(path)
    await page.getByText("文件最多 900,000 字节，这个有 100,000,000 字节。").waitFor()
    await page.getByLabel("问题文件", { exact: true }).last().setInputFiles(fileOf("一？\n二？"))
    await page.getByRole("button", { name: "两边运行 2 个问题" }).click()
    await page.getByText("已回答 2 个问题，共 2 个").waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })
})
