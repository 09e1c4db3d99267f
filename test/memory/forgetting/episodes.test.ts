import { join } from "node:path"
import { expect, test } from "vitest"
import type { ModelRequest } from "../../../src/core/model/language-model.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { readState } from "../../../src/memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../src/memory/forgetting/plugin/virtual-context-name.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { countingIds, manualClock, manualTimers, seededRandom } from "../../../src/testing/index.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const told = "Ann told me of her new dog Rex."
const lines = ["I have a new dog, he is called Rex.", "He chewed up the garden hose today.", "Now I want to paint the shed blue."]

/** A chat over a shipped profile whose file has one more table; the last line comes an hour after the others. */
async function chat(base: string, table = "[events]", isForgotten = false) {
  const bot = tempFolder({
    "bot.toml": `extends = "${base}"\nlocale = "en"\ntime_zone = "UTC"\n${table}\n[memory]\nenabled = true\n`,
  })
  const clock = manualClock(Date.UTC(2026, 2, 4, 10))
  const profile = await loadProfile(join(bot, "bot.toml"), { dataFolder: bot, clock })
  const batch = ({ messages }: ModelRequest) => {
    const event = messages.some(({ content }) => content.includes("new dog")) ? told : ""
    return JSON.stringify({ importance: 8, profile: {}, event })
  }
  const model = backgroundModel({ importance: batch, batch })
  const store = createInMemoryStore()
  const ports = { clock, timers: manualTimers(clock), ids: countingIds(), random: seededRandom(1) }
  const agent = createAgent({ profile, model, store, ports })
  const session = agent.session("home")
  const turnIds: string[] = []
  for (const [at, line] of lines.entries()) {
    if (at === 2) clock.advance(3_600_000)
    const key = { agent: session.key.agent, conversation: "home", audience: "private", user: "ann" } as const
    if (at === 2 && isForgotten) await store.memories.forget([`${turnIds[0]}:0`], { atMs: clock.nowMs(), key })
    turnIds.push((await session.send(line, { from: { id: "ann", name: "Ann" } }).result).trace.turnId)
    await agent.idle()
  }
  const prompt = async () => (await session.preview("And?")).messages.map(({ content }) => content).join("\n")
  const events = async () => {
    const record = await store.load(session.key)
    return readState((record?.state.hooks as Readonly<Record<string, unknown>> | undefined)?.[virtualContextName]).events
  }
  return { model, store, session, turnIds, prompt, events }
}

const withoutTools = '[events]\n[tools]\ngroups = ["ai", "device", "development", "terminal", "external"]'

test.each(["layered", "stack", "soul", "fay"])(
  "without the tools of the group context, [events] adds nothing to %s but the events",
  async (base) => {
    const [withEvents, plain] = [await (await chat(base, withoutTools)).prompt(), await (await chat(base, "")).prompt()]
    const added = withEvents.split("\n").filter((line) => !plain.includes(line))
    expect(added).toContain(`20260304 10:00 ${told}`)
    expect(added.filter((line) => !/events|^2026|^\[\/context\]$/.test(line))).toEqual([])
  },
)

test.each(["layered", "stack", "soul", "fay"])(
  "M15 with [events], %s shows what happened in a talk that is over, in the words of the call that judged it, and asks no more often",
  async (base) => {
    const { model, prompt, session, turnIds, events } = await chat(base)
    expect(await prompt()).toContain(`20260304 10:00 ${told}`)
    const plain = await chat(base, "")
    expect(await plain.prompt()).not.toContain(told)
    for (const name of ["importance", "importance-and-profile", "event"]) expect(model.count(name)).toBe(plain.model.count(name))
    await session.send("And now?", { from: { id: "ann", name: "Ann" } }).result
    expect((await events()).map(({ text, sources }) => ({ text, sources }))).toEqual([
      { text: told, sources: turnIds.slice(0, 2) },
    ])
    await session.rewind(turnIds[0] ?? "")
    expect(await prompt()).not.toContain(told)
    expect(await events()).toEqual([])
  },
)

test("M10 an event of a talk tells nothing of a turn of which a memory was forgotten before the talk was over", async () => {
  expect(await (await chat("layered", "[events]\n[history]\ncontext_count = 2", true)).prompt()).not.toMatch(/dog|Rex/)
  expect(await (await chat("layered", "[events]\n[history]\ncontext_count = 2")).prompt()).toMatch(/dog Rex/)
})
