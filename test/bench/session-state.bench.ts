import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore } from "../../src/adapters/stores/index.ts"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { HistoryMessage, SessionKey } from "../../src/core/conversation.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { newEvent } from "../../src/memory/forgetting/events/event-record.ts"
import { createVirtualContext } from "../../src/memory/forgetting/plugin/virtual-context.ts"
import { virtualContextName } from "../../src/memory/forgetting/plugin/virtual-context-name.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { SessionCommit } from "../../src/memory/services/store/session-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMs, formatMs, median } from "./measure.ts"

const warmUp = 10
const turns = 60
const sizes = [20, 2_000] as const
const minuteMs = 60_000
const atMs = Date.UTC(2026, 0, 5)
const key: SessionKey = { agent: "test", conversation: "bench", audience: "private" }

/** CPU of a turn over a session that has so much behind it, on the embedded store beside the one in memory. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const rows: Row[] = []
  if (peers) for (const size of sizes) rows.push(await row(size))
  const [small, large] = [await workOf(sizes[0]), await workOf(sizes[1])]
  return {
    title: `A turn's CPU over what a session has behind it (median of ${turns}, in turn)`,
    rows,
    gates: [
      {
        name: "a turn asks at most one thing more of the database, and writes no more than twice as much, whatever its session has behind it",
        ok: large.statements <= small.statements + 1 && large.characters <= 2 * small.characters,
        detail: `${small.statements} and ${large.statements} statements, ${small.characters} and ${large.characters} characters for ${sizes.join(" and ")}`,
      },
    ],
  }
}

async function row(size: number): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-"))
  const stores = [createInMemoryStore(), await openStore(folder)] as const
  const talks = await Promise.all(stores.map((store) => talkOver(store, size)))
  const times: number[][] = stores.map(() => [])
  for (let turn = 0; turn < warmUp + turns; turn++)
    for (const [at, talk] of talks.entries()) {
      const tookMs = await cpuMs(() => talk.say(`Words of turn ${turn}.`))
      if (turn >= warmUp) times[at]?.push(tookMs)
    }
  for (const { close } of talks) await close()
  rmSync(folder, { recursive: true })
  const [inMemory = [], embedded = []] = times
  return {
    "events, messages": size.toLocaleString("en"),
    "in memory": formatMs(median(inMemory)),
    embedded: formatMs(median(embedded)),
    over: formatMs(median(embedded) - median(inMemory)),
  }
}

/** What a turn asks of the database once its session is known, and how long the values are that it hands over. */
async function workOf(size: number): Promise<{ readonly statements: number; readonly characters: number }> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-"))
  let work = { statements: 0, characters: 0 }
  const store = await openSqliteStore(join(folder, "store.sqlite"), {
    log: ({ query: { parameters } }) => {
      const texts = parameters.filter((value) => typeof value === "string")
      const characters = texts.reduce((sum, { length }) => sum + length, work.characters)
      work = { statements: work.statements + 1, characters }
    },
  })
  const talk = await talkOver(store, size)
  for (let turn = 0; turn < 3; turn++) {
    work = { statements: 0, characters: 0 }
    await talk.say(`Words of turn ${turn}.`)
  }
  const last = work
  await talk.close()
  rmSync(folder, { recursive: true })
  return last
}

async function talkOver(store: Store, size: number) {
  await store.commit(key, past(size))
  const clock = manualClock(atMs + size * minuteMs)
  const { hooks = [] } = createVirtualContext({ locale: "en", events: { timeZone: "UTC" } })
  const profile = resolveProfile({
    name: "test",
    dialect: "fay",
    locale: "en",
    persona: "p",
    agent: { id: key.agent },
    memory: { enabled: false },
  })
  const agent = createAgent({ profile, model, store, hooks, ports: { clock, timers: manualTimers(clock) } })
  const session = agent.session({ conversation: key.conversation, audience: key.audience })
  return {
    async say(text: string) {
      clock.advance(minuteMs)
      const result = await session.send(text).result
      if (!result.ok) throw result.error
      await agent.idle()
    },
    async close() {
      await agent.close()
      await store.close()
    },
  }
}

/** A session that has talked of a topic for every event, and has so many messages behind it. */
function past(size: number): SessionCommit {
  const events = Array.from({ length: size }, (_, at) => {
    const startMs = atMs + at * minuteMs
    const text = `Ann told what she did on day ${at}, and Fay asked how it went.`
    const event = {
      id: `e${at}`,
      grain: "moment" as const,
      stamp: `2026-01-05 ${at}`,
      startMs,
      endMs: startMs,
      text,
      importance: at % 11,
    }
    return newEvent({ ...event, sources: [`turn-${at}`] }, { atMs: startMs, turn: at })
  })
  const append = Array.from({ length: size }, (_, at): HistoryMessage => {
    const [role, speaker] = at % 2 === 0 ? (["user", "Ann"] as const) : (["assistant", "Fay"] as const)
    const text = `Words number ${at} of a long conversation, as people say them.`
    return { role, text, speaker: { id: speaker, name: speaker }, turnId: `turn-${at >> 1}`, atMs: atMs + at * minuteMs }
  })
  const context = { version: 1, events, workspace: [], pulled: [], compressed: [], ended: [] }
  return { expectVersion: 0, append, state: { turns: size, hooks: { [virtualContextName]: context } }, jobs: [] }
}

const model: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: false },
  async *stream({ facts }) {
    yield { type: "text-delta", delta: facts?.prompt === "planner" ? '{"action":"finish","message":"I see."}' : "3" }
    yield { type: "finish", reason: "stop" }
  },
}
