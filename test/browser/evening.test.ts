import { expect, onTestFinished, test } from "vitest"
import { inspector } from "../../src/apps/server/inspector/inspector.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { picture } from "../examples/support/picture.ts"
import { type Door, type Life, life } from "../support/evening/life.ts"
import { play } from "../support/evening/play.ts"
import { openPage, useBrowser } from "./opened.ts"

useBrowser()

/** The page in Chromium, with its buttons. A call is shown as its name and its arguments. */
async function browserDoor({ next }: Life): Promise<Door & { idle(): Promise<void>; problems(): readonly string[] }> {
  let nowMs = 0
  const start = async () => {
    const agent = createAgent(next())
    const server = await inspector(agent, {
      chat: { user: "ann", conversation: "home" },
      clock: { nowMs: () => ++nowMs },
    }).listen()
    onTestFinished(() => server.close())
    return { agent, server }
  }
  let { agent, server } = await start()
  let { page, problems } = await openPage(server.url)
  const answers: string[] = []
  let call = page.getByRole("article", { name: "pay" })
  let cards = page.getByRole("navigation").locator("button.turn")
  /** What the newest turn shows, once it differs from what it showed before. */
  const look = async (before: string | null): Promise<void> => {
    await expect.poll(() => cards.first().textContent()).not.toBe(before)
    await cards.and(page.locator(".answered")).first().waitFor()
    await expect.poll(() => cards.first().getAttribute("class")).toContain("answered")
    const answer = (await cards.first().locator(".answer").textContent()) ?? ""
    const args = call.getByRole("region", { name: "Arguments of the call" })
    const asked = answer === "" && Object.entries(JSON.parse((await args.textContent()) ?? "{}"))
    answers.push(asked ? `pay(${asked.map((pair) => pair.join("="))})` : answer)
  }
  const newest = async () => ((await cards.count()) > 0 ? cards.first().textContent() : null)
  const say = async (words: string): Promise<void> => {
    const before = await newest()
    await page.locator("#say").fill(words)
    await page.getByRole("button", { name: "Send" }).click()
    await look(before)
  }
  return {
    async showPhoto(words) {
      await page.getByLabel("Attachments").setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: picture })
      await say(words)
      expect(await page.getByLabel("Attachments").inputValue()).toBe("")
    },
    say,
    async restart() {
      await server.close()
      await agent.close()
      ;({ agent, server } = await start())
      // Until here: a page whose server is gone says so.
      expect(problems.filter((problem) => !problem.includes("ERR_"))).toEqual([])
      ;({ page, problems } = await openPage(server.url))
      call = page.getByRole("article", { name: "pay" })
      cards = page.getByRole("navigation").locator("button.turn")
    },
    async allow() {
      const before = await newest()
      await call.getByRole("button", { name: "Allow" }).click()
      await look(before)
    },
    async again() {
      const before = await newest()
      await page.getByRole("main").getByRole("button", { name: "Answer again" }).click()
      await look(before)
    },
    seen: () => answers,
    idle: () => agent.idle(),
    problems: () => problems,
  }
}

test.each([
  ["N31", "before"],
  ["N43", "midway"],
] as const)("%s the same evening is seen on the page in Chromium, where a reminder waits (the tool asks %s)", async (_, asks) => {
  const own = life(["Any time."], [], asks)
  const door = await browserDoor(own)
  // Another answer in the place of one that told of the reminder, as in useChat.
  const seen = await play(own, door, door.idle)
  expect(seen).toEqual(["A cat.", "pay(to=Eve)", "Paid.", "I will remind you.", "Drink water!", "Drink water, as I said!"])
  expect(door.problems()).toEqual([])
})
