import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchResult } from "./bench.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const sessions = 40
const turns = 50
const fileTurns = 200
/** Sessions that a server may hold open, after so many turns each, and the most bytes of heap for one, with all that is remembered. */
const many = { sessions: 10_000, turns: 3, bytes: 8_000 }
/** The growth of later turns, to that of those before: more would be more than a straight line. */
const mostGrowth = 1.3

const words = "Words of somebody who has a little to say, and says it in a sentence or two."
const answer = "An answer that is about as long as the words before it, so that both count alike."

/** Memory of an open session, and growth of the store's file, turn by turn. Both must grow by the words alone. */
export async function run(): Promise<BenchResult> {
  const [first, later] = await heap()
  const [firstBytes, laterBytes] = await file()
  const eachBytes = await heapOfMany()
  const spoken = words.length + answer.length
  const row = (what: string, early: number, late: number) => ({
    what,
    "a turn, first half": `${early.toFixed(0)} B`,
    "a turn, second half": `${late.toFixed(0)} B`,
    "beside its words": `${(late / spoken).toFixed(1)}×`,
  })
  const gate = (what: string, early: number, late: number) => ({
    name: `${what} grows by at most ${mostGrowth} as much in later turns as in earlier ones`,
    ok: late <= mostGrowth * early,
    detail: `${early.toFixed(0)} and ${late.toFixed(0)} bytes a turn`,
  })
  return {
    title: `A session of ${turns} turns in memory (of ${sessions} open ones), and a file of ${2 * fileTurns} turns`,
    rows: [row("heap of an open session", first, later), row("file of the store", firstBytes, laterBytes)],
    notes: [
      `An open session of ${turns} turns has ${(((first + later) * turns) / 2 / 1024).toFixed(0)} kB of heap.`,
      `${many.sessions.toLocaleString("en")} open sessions after ${many.turns} turns each on the store in a file have ${eachBytes.toFixed(0)} bytes of heap each, with all that assembling remembers.`,
    ],
    gates: [
      gate("an open session", first, later),
      gate("the file", firstBytes, laterBytes),
      {
        name: `each of ${many.sessions} open sessions after ${many.turns} turns has at most ${many.bytes} bytes of heap`,
        ok: eachBytes <= many.bytes,
        detail: eachBytes.toFixed(0),
      },
    ],
  }
}

/** Bytes of heap for each turn, in the first and the second half of the sessions. The first session warms the code up. */
async function heap(): Promise<readonly [number, number]> {
  const agent = agentOver(createInMemoryStore())
  await talk(agent.session("warm"), turns)
  const open = Array.from({ length: sessions }, (_, at) => agent.session(`chat ${at}`))
  const used: number[] = [heapUsed()]
  for (const half of [0, 1]) {
    for (const session of open) await talk(session, turns / 2, half)
    used.push(heapUsed())
  }
  const [before = 0, middle = 0, after = 0] = used
  const each = (sessions * turns) / 2
  await agent.close()
  return [(middle - before) / each, (after - middle) / each]
}

/** Bytes of heap for each of many open sessions on the store in a file. */
async function heapOfMany(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const store = await openSqliteStore(join(folder, "store.sqlite"))
  const agent = agentOver(store)
  await talk(agent.session("warm"), many.turns)
  const before = heapUsed()
  const open = Array.from({ length: many.sessions }, (_, at) => agent.session(`chat ${at}`))
  for (let at = 0; at < open.length; at += 20)
    await Promise.all(open.slice(at, at + 20).map((session) => talk(session, many.turns)))
  const each = (heapUsed() - before) / open.length
  await agent.close()
  await store.close()
  rmSync(folder, { recursive: true })
  return each
}

function heapUsed(): number {
  for (let round = 0; round < 3; round++) collect()
  return process.memoryUsage().heapUsed
}

/** Bytes of the file for each turn, in the first and the second half. */
async function file(): Promise<readonly [number, number]> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const path = join(folder, "store.sqlite")
  const sizes: number[] = []
  for (const count of [0, fileTurns, fileTurns]) {
    const store = await openSqliteStore(path)
    const agent = agentOver(store)
    await talk(agent.session("chat"), count)
    await agent.close()
    await store.close()
    sizes.push(statSync(path).size)
  }
  rmSync(folder, { recursive: true })
  const [before = 0, middle = 0, after = 0] = sizes
  return [(middle - before) / fileTurns, (after - middle) / fileTurns]
}

async function talk(session: Session, count: number, half = 0): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const result = await session.send(`${words} ${half} ${turn}`).result
    if (!result.ok) throw result.error
  }
}

function agentOver(store: Store) {
  const profile = resolveProfile({
    dialect: "layered",
    locale: "en",
    persona: "You are Mira.",
    memory: { enabled: false },
    agent: { id: "bench" },
  })
  return createAgent({ profile, model: talking, store })
}

const talking: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: JSON.stringify({ action: "finish", message: answer }) }
    yield { type: "finish", reason: "stop" }
  },
}
