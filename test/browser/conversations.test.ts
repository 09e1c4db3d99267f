import { expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createBot } from "../../src/apps/bots/create-bot.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { manualClock, manualTimers, scriptedModel } from "../../src/testing/index.ts"
import { callTool, finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()
const profile = { ...english, agent: { id: "fay" }, memory: { enabled: false } } as const

test("N28 the page shows the conversations of a bot that another opening of the store holds, and what is said meanwhile", async () => {
  const file = `${tempFolder()}/bot.db`
  const [shown, held] = [await openSqliteStore(file), await openSqliteStore(file)]
  const bot = createAgent({
    profile: resolveProfile(profile),
    model: scriptedModel(["The dinosaurs are upstairs.", "Until six."].map(finish)),
    store: held,
  })
  onTestFinished(async () => {
    await bot.close()
    await Promise.all([shown.close(), held.close()])
  })
  const say = (text: string, conversation = "telegram 42") =>
    bot.session(conversation).send(text, { from: { id: "ben", name: "Ben" } }).result
  await say("Where are the dinosaurs?")
  const { page, problems } = await open([], { profile, agentOptions: { store: shown } })
  await page.getByRole("button", { name: "Conversations" }).click()
  const talk = page.getByRole("list", { name: "telegram 42" })
  await talk.getByText("The dinosaurs are upstairs.").waitFor()
  await say("Until when?")
  await talk.getByText("Until six.").waitFor()
  expect(await talk.getByRole("listitem").count()).toBe(4)
  await page.getByRole("navigation").or(page.getByRole("main")).getByRole("button").filter({ hasText: "Until six." }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole("button", { name: "Back to the turns" }).click()
  await page.getByText("Talk to the character, and its requests appear here.").waitFor()
  expect(problems).toEqual([])
})

test("N35 reminders are listed beside the chat, where one press drops one, and beside the conversations", async () => {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const ports = { clock, timers: manualTimers(clock) }
  const agentOptions = { ports, store: createInMemoryStore({ ports }) }
  const { page, agent, problems } = await open([finish("I will.")], { profile, chat: true, agentOptions })
  const user = { id: "inspector" }
  const session = agent.session("inspector")
  const wake = (reason: string) => session.wakeAt("2026-01-03 09:00", reason, { timeZone: "UTC", from: user })
  await wake("drink water")
  await wake("call home")
  await page.locator("#say").fill("Remind me.")
  await page.getByRole("button", { name: "Send" }).click()
  const reminders = page.getByRole("list", { name: "Reminders that wait to ring" })
  const water = reminders.getByRole("listitem").filter({ hasText: "2026-01-03 09:00 (UTC) drink water" })
  await water.waitFor()
  expect(await violations(page)).toEqual([])
  await water.getByRole("button", { name: "Drop" }).click()
  await water.waitFor({ state: "detached" })
  expect((await session.wakes({ from: user })).map(({ reason }) => reason)).toEqual(["call home"])
  await page.getByRole("button", { name: "Conversations" }).click()
  const shown = page.getByRole("main").getByRole("list", { name: "Reminders that wait to ring" })
  await shown.getByText("call home").waitFor()
  expect(await shown.getByRole("button").count()).toBe(0)
  expect(await violations(page)).toEqual([])
  expect(problems).toEqual([])
})

test("N30 what waits in a conversation of a bot in another process is answered by an operator on the page, and said in its chat", async () => {
  const file = `${tempFolder()}/bot.db`
  const [shown, held] = [await openSqliteStore(file), await openSqliteStore(file)]
  const said: string[] = []
  const paid: string[] = []
  const pay = defineTool({
    ...{ name: "pay", description: "Sends money.", needsApproval: true, inputSchema: z.object({ to: z.string() }) },
    execute: ({ to }) => `${paid.push(to)} payments`,
  })
  const bot = createBot({
    profile: resolveProfile(profile),
    model: scriptedModel([
      callTool("pay", { to: "Eve" }),
      finish("Paid."),
      callTool("pay", { to: "Mallory" }),
      finish("Not paid."),
    ]),
    ...{ tools: [pay], store: held },
    chat: (_, answered) => ({ limit: 4096, sendText: (text) => void said.push(`${answered ? "to a message: " : ""}${text}`) }),
  })
  onTestFinished(async () => {
    await bot.close()
    await Promise.all([shown.close(), held.close()])
  })
  const ask = async (id: string, text: string) => {
    await bot.take(
      { conversation: "telegram:42", audience: "group" },
      { id, text, from: { id: "ben", name: "Ben" }, mentions: [{ id: "fay" }] },
    )
    await bot.idle()
  }
  await ask("1", "Pay Eve.")
  expect(said).toEqual([expect.stringContaining("Ben, may I do this?")])
  const { page, problems } = await open([], { profile, chat: true, agentOptions: { store: shown } })
  await page.getByRole("button", { name: "Conversations" }).click()
  const call = page.getByRole("main").getByRole("article", { name: "pay" })
  await call.getByText("Ben, may I do this?").waitFor()
  expect(await call.getByRole("region", { name: "Arguments of the call" }).textContent()).toContain("Eve")
  expect(await violations(page)).toEqual([])
  await call.getByRole("button", { name: "Allow" }).click()
  const talk = page.getByRole("list", { name: "telegram:42" })
  await talk.getByText("Paid.", { exact: true }).waitFor()
  await call.waitFor({ state: "detached" })
  await bot.idle()
  expect([paid, said[1]]).toEqual([["Eve"], "Paid."])
  await ask("2", "Pay Mallory.")
  await call.getByRole("textbox").fill("Nobody knows Mallory.")
  await call.getByRole("button", { name: "Deny" }).click()
  await talk.getByText("Not paid.").waitFor()
  await bot.idle()
  expect([paid, said.at(-1)]).toEqual([["Eve"], "Not paid."])
  expect(problems).toEqual([])
})
