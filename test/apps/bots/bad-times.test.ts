import { renameSync } from "node:fs"
import { expect, test, vi } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { type BotOptions, createBot } from "../../../src/apps/bots/create-bot.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const ann = { id: "ann", name: "Ann" }
const home = { conversation: "home", audience: "private" } as const
const minuteMs = 60_000

/** A bot at a platform that refuses what it sends while `isBlocked`, and what its owner was told. */
function bot(answers: readonly string[], options: Partial<BotOptions> = {}) {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  const platform = { isBlocked: false, sent: [] as string[], asked: 0 }
  const told: string[] = []
  const sendText = (text: string) => {
    platform.asked++
    if (platform.isBlocked) throw Object.assign(new Error("403: bot was blocked by the user"), { error_code: 403 })
    platform.sent.push(text)
  }
  const store = options.store ?? createInMemoryStore({ ports: { clock, timers } })
  const made = createBot({
    profile: resolveProfile({ name: "Mira", dialect: "layered", persona: "Mira.", locale: "en", memory: { enabled: false } }),
    model: scriptedModel(answers.map(finish)),
    store,
    ports: { clock, timers },
    onWarning: ({ message }) => void told.push(message),
    chat: () => ({ limit: 4096, locale: "en", sendText, onError: (error) => void told.push(String(error)) }),
    ...options,
  })
  const session = made.agent.session(home)
  const say = async (id: string, text: string) => {
    await made.take(home, { id, text, from: ann })
    await made.idle()
  }
  return { ...made, session, store, say, platform, told, timers }
}

test("N42 a platform that blocks the bot is told once for each answer; the words stay, and later ones are answered", async () => {
  const { say, session, platform, told } = bot(["One.", "Two."])
  platform.isBlocked = true
  await say("1", "hi")
  expect(told).toEqual([expect.stringContaining("403: bot was blocked")])
  expect(platform.asked).toBe(1)
  platform.isBlocked = false
  await say("1", "hi")
  await say("2", "again")
  expect(platform.sent).toEqual(["Two."])
  expect((await session.history()).map(({ text }) => text)).toEqual(["hi", "One.", "again", "Two."])
})

test("N42 a reminder for somebody who blocked the bot is told, is in the history, and rings again at its next moment", async () => {
  const { session, agent, platform, told, timers } = bot(["Drink!", "Drink again!"])
  await session.wakeAt("+60m", "drink", { from: ann, repeat: "hourly", timeZone: "UTC" })
  platform.isBlocked = true
  await agent.idle()
  timers.advance(60 * minuteMs)
  await vi.waitFor(() => expect(told).toHaveLength(1))
  expect(told[0]).toContain("403: bot was blocked")
  expect((await session.history()).map(({ text }) => text)).toEqual(["Drink!"])
  platform.isBlocked = false
  await agent.idle()
  timers.advance(60 * minuteMs)
  await vi.waitFor(() => expect(platform.sent).toEqual(["Drink again!"]))
})

test("N42 a person who was forgotten is not reminded, and what others set rings", async () => {
  const { session, agent, store, platform, timers } = bot(["For Bob!"])
  await session.wakeAt("+10m", "tea", { from: ann, timeZone: "UTC" })
  const other = agent.session({ conversation: "bob", audience: "private" })
  await other.wakeAt("+10m", "tea", { from: { id: "bob" }, timeZone: "UTC" })
  await store.forget({ agent: session.key.agent, user: ann.id })
  await agent.idle()
  timers.advance(10 * minuteMs)
  await vi.waitFor(() => expect(platform.sent).toEqual(["For Bob!"]))
  await agent.idle()
  expect([(await other.history()).length, (await session.history()).length]).toEqual([1, 0])
})

test("N42 a message that no store can keep is not taken, so that the platform sends it again once the store is back", async () => {
  const file = `${tempFolder()}/store.sqlite`
  const store = await openSqliteStore(file)
  const { take, say, idle, platform, close } = bot(["Hello."], { store })
  renameSync(file, `${file}.away`)
  await expect(take(home, { id: "1", text: "hi", from: ann })).rejects.toMatchObject({ code: "store" })
  await idle()
  expect(platform.asked).toBe(0)
  renameSync(`${file}.away`, file)
  await say("1", "hi")
  expect(platform.sent).toEqual(["Hello."])
  await close()
  await store.close()
})
