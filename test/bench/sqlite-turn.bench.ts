import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { SqliteStore } from "../../src/adapters/stores/database-store.ts"
import { openStore } from "../../src/adapters/stores/open-store.ts"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"

const warmUps = 4
const rounds = 15
const tries = 3
/** Turns of one measurement. */
const turns = 20
/** More than is measured, and less than twice as much: to bare transactions one after the other, and to those that follow turns. */
const most = { alone: 7, behind: 2.2 }
/** Conversations that have a turn at the same time. */
const atOnce = 1_000
const leastRate = 1.7
/** The rate depends on the disk: one that syncs in 0.2 ms leaves little to share. */
const wanted = { behind: 1.5, rate: 3 }

/** CPU that the store in a file adds to a turn, beside a bare transaction, and the rate of turns that are committed at the same time. */
export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const store = await openStore(folder)
  const cost = await costOf(store, folder)
  const rate = await rateOf(store)
  await store.close()
  rmSync(folder, { recursive: true })
  const { beyondMs, insideMs } = beyond(cost)
  return {
    title: `A turn on the store in a file (median of ${rounds}; ${atOnce.toLocaleString("en")} turns at once)`,
    rows: [
      { what: "a bare transaction of the same rows, one after the other, CPU", time: formatMs(cost.bareMs), ratio: "1.0×" },
      { what: "a turn in memory, CPU", time: formatMs(cost.memoryMs) },
      { what: "a turn in memory and a bare transaction behind it, CPU", time: formatMs(cost.bothMs) },
      { what: "a turn in a file, CPU", time: formatMs(cost.fileMs) },
      {
        what: "what the file adds, to bare transactions one after the other",
        time: formatMs(beyondMs),
        ratio: formatRatio(beyondMs, cost.bareMs),
        bound: `${most.alone}×`,
      },
      {
        what: "what the file adds, to what a bare transaction adds",
        time: formatMs(insideMs),
        ratio: formatRatio(beyondMs, insideMs),
        bound: `${most.behind}× (wanted: ${wanted.behind}×)`,
      },
      { what: "turns one after the other, wall", time: formatMs(rate.aloneMs / atOnce), ratio: "1.0×" },
      {
        what: "turns at once, wall",
        time: formatMs(rate.togetherMs / atOnce),
        ratio: `rate ${formatRatio(rate.aloneMs, rate.togetherMs)}`,
        bound: `${leastRate}× (wanted: ${wanted.rate}×)`,
      },
    ],
    notes: [
      `A bare transaction writes ${Math.round(cost.bareBytes)} bytes of the log, a turn ${Math.round(cost.fileBytes)}. Behind a turn it takes more CPU than after another one: the turn and the wait for the disk leave nothing of it in the processor's caches.`,
    ],
    gates: [
      {
        name: "a bare transaction writes no more than a turn",
        ok: cost.bareBytes <= 1.02 * cost.fileBytes,
        detail: `${Math.round(cost.bareBytes)} and ${Math.round(cost.fileBytes)} bytes`,
      },
      {
        name: `the file adds at most the CPU of ${most.alone} bare transactions to a turn, and of ${most.behind} where they follow turns`,
        ok: isWithinBounds(cost),
        detail: `${(beyondMs / cost.bareMs).toFixed(2)} and ${(beyondMs / insideMs).toFixed(2)}`,
      },
      {
        name: `turns that are committed at the same time have at least ${leastRate} times the rate`,
        ok: rate.aloneMs >= leastRate * rate.togetherMs,
        detail: (rate.aloneMs / rate.togetherMs).toFixed(2),
      },
    ],
  }
}

/** What the store in a file adds to a turn, and what a bare transaction adds. */
function beyond({ memoryMs, bothMs, fileMs }: Cost) {
  return { beyondMs: fileMs - memoryMs, insideMs: bothMs - memoryMs }
}

function isWithinBounds(cost: Cost): boolean {
  const { beyondMs, insideMs } = beyond(cost)
  return beyondMs <= most.alone * cost.bareMs && beyondMs <= most.behind * insideMs
}

interface Cost {
  readonly bareMs: number
  readonly memoryMs: number
  readonly bothMs: number
  readonly fileMs: number
}

async function costOf(store: SqliteStore, folder: string) {
  const [alone, behind] = [await bareTurns(join(folder, "alone.sqlite")), await bareTurns(join(folder, "behind.sqlite"))]
  const [inMemory, inMemoryToo, inFile] = [talk(createInMemoryStore()), talk(createInMemoryStore()), talk(store)]
  const inMemoryAndBare = async () => {
    await inMemoryToo()
    behind.write()
  }
  const works = [async () => alone.write(), inMemory, inMemoryAndBare, inFile].map((work) => async () => {
    for (let turn = 0; turn < turns; turn++) await work()
  })
  const logged = [logBytes(alone.file), logBytes(store.file)]
  for (let round = 0; round < warmUps; round++) for (const work of works) await work()
  const [bareBytes = 0, fileBytes = 0] = [logBytes(alone.file), logBytes(store.file)].map(
    (bytes, at) => (bytes - (logged[at] ?? 0)) / (warmUps * turns),
  )
  let found: Cost = { bareMs: 0, memoryMs: 0, bothMs: 0, fileMs: 0 }
  for (let attempt = 0; attempt < tries; attempt++) {
    const all: number[][] = works.map(() => [])
    for (let round = 0; round < rounds; round++)
      for (const [at, work] of works.entries()) all[at]?.push((await cpuMsAlone(work)) / turns)
    const [bareMs = 0, memoryMs = 0, bothMs = 0, fileMs = 0] = all.map(median)
    found = { bareMs, memoryMs, bothMs, fileMs }
    if (isWithinBounds(found)) break
  }
  for (const { close } of [alone, behind]) close()
  return { ...found, bareBytes, fileBytes }
}

/** Wall time, because a transaction waits for the disk. */
async function rateOf(store: Store) {
  const agent = agentOver(store)
  let conversations = 0
  const begin = () => sent(agent.session(`of ${conversations++}`).send("Go on."))
  let found = { aloneMs: 0, togetherMs: 0 }
  for (let attempt = 0; attempt < tries; attempt++) {
    const aloneMs = await wallMs(async () => {
      for (let turn = 0; turn < atOnce; turn++) await begin()
    })
    const togetherMs = await wallMs(() => Promise.all(Array.from({ length: atOnce }, begin)))
    found = { aloneMs, togetherMs }
    if (aloneMs >= leastRate * togetherMs) break
  }
  return found
}

async function wallMs(work: () => Promise<unknown>): Promise<number> {
  const begunMs = performance.now()
  await work()
  return performance.now() - begunMs
}

/** Turns of one conversation. */
function talk(store: Store): () => Promise<void> {
  const agent = agentOver(store)
  return () => sent(agent.session(conversation).send(words))
}

const conversation = "chat"
const words = "Words of somebody who has a little to say, and says it."
const answer = "An answer that is about as long as the words before it."

/**
 * The same turns written by hand: the same rows and bytes in the store's own tables, in one transaction with the store's settings. The
 * session is not looked for, and nothing is built that is always the same.
 */
async function bareTurns(file: string) {
  const store = await openSqliteStore(file)
  await talk(store)()
  await store.close()
  const database = new DatabaseSync(file)
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma foreign_keys = on")
  const session = `agent = 'bench' and conversation = '${conversation}' and audience = 'private'`
  const insert = database.prepare(
    `insert into messages (agent, conversation, audience, position, turn_id, role, speaker_id, speaker_name, at_ms, spoken, body)
     values ('bench', '${conversation}', 'private', ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = database.prepare(
    `update sessions set version = ?, next_position = ?, spoken = ?, whole_state = ? where ${session}`,
  )
  let version = 1
  return {
    file,
    write() {
      database.exec("begin immediate")
      const turnId = `turn_${String(version).padStart(36, "0")}`
      for (const [at, { role, text, speaker }] of said.entries()) {
        const [position, atMs] = [2 * version + at, Date.now()]
        const body = JSON.stringify({ role, text, speaker, turnId, atMs }) + checksum
        insert.run(position, turnId, role, speaker.id, speaker.name, atMs, position, body)
      }
      version++
      update.run(version, 2 * version, 2 * version, JSON.stringify({ turns: version, stack: [] }) + checksum)
      database.exec("commit")
    },
    close: () => database.close(),
  }
}

/** As long as the checksum behind a body. */
const checksum = " ".repeat(16)

const said = [
  { role: "user", text: words, speaker: { id: conversation, name: "User" } },
  { role: "assistant", text: answer, speaker: { id: "bench", name: "Mira" } },
] as const

/** The length of a store's write-ahead log, which grows until it is copied into the file after about 1,000 pages. */
const logBytes = (file: string): number => statSync(`${file}-wal`).size

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

async function sent(turn: { readonly result: Promise<{ readonly ok: boolean; readonly error?: unknown }> }): Promise<void> {
  const result = await turn.result
  if (!result.ok) throw result.error
}

const talking: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: JSON.stringify({ action: "finish", message: answer }) }
    yield { type: "finish", reason: "stop" }
  },
}
