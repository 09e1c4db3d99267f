import { readdirSync, statSync } from "node:fs"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { hostTimers, type Timers } from "../../../src/core/ports.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { ScopeIndexes } from "../../../src/memory/services/memory/recorded-memories.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { lifeAgent } from "./life-agent.ts"
import { dialogueText } from "./life-words.ts"

/** The settings of a long life: a process that talks, by and by, in many sessions. */
export interface LifeSettings {
  readonly file: string
  readonly seed: number
  readonly turns: number
  readonly sessions: number
  /** The number of stretches of equal length, each followed by a sample. */
  readonly samples: number
  /** The stretches that an earlier process has done. */
  readonly done: number
}

/** What a process is measured by, after a stretch of turns, when it does nothing and its garbage was collected. */
export interface LifeSample {
  readonly turns: number
  readonly heapBytes: number
  /** Timers, sockets and whatever else keeps the event loop busy. */
  readonly handles: number
  /** Open files. */
  readonly files: number
  /** Of the database. */
  readonly storeBytes: number
  /** Of what SQLite has not yet put into the database. */
  readonly walBytes: number
  /** Recall indexes that are kept. */
  readonly indexes: number
  readonly cpuMs: number
}

const turnMs = 2_000
/** The time for which a store keeps a session that nobody uses. Here it passes with the turns, so that sessions rest in a short run, too. */
const restMs = 300_000

const { file, seed, turns, sessions, samples, done } = JSON.parse(process.argv[2] ?? "{}") as LifeSettings
const turnsEach = turns / samples
const turnsOfSession = turns / sessions

const clock = manualClock(Date.UTC(2026, 0, 1) + done * turnsEach * turnMs)
const restTimers = manualTimers(clock)
const timers: Timers = {
  set: (callback, delayMs) => (delayMs === restMs ? restTimers : hostTimers).set(callback, delayMs),
  clear(handle) {
    restTimers.clear(handle)
    hostTimers.clear(handle)
  },
}

/** All indexes of recall in this process. An agent that was closed leaves its own to the garbage collector. */
const madeIndexes = new Set<WeakRef<ScopeIndexes>>()
const current = ScopeIndexes.prototype.current
ScopeIndexes.prototype.current = function (key) {
  if (![...madeIndexes].some((made) => made.deref() === this)) madeIndexes.add(new WeakRef(this))
  return current.call(this, key)
}

/** As much as can be collected. What weak references were registered for is called only after a collection, and leaves garbage again. */
async function collectGarbage(): Promise<void> {
  const { gc } = globalThis
  if (gc === undefined) throw new Error("Expected node --expose-gc.")
  for (let round = 0; round < 3; round++) {
    gc({ type: "major", execution: "sync", flavor: "last-resort" })
    await new Promise(setImmediate)
  }
}

function measure(turnsDone: number, cpuMs: number): LifeSample {
  const live = [...madeIndexes].flatMap((made) => made.deref() ?? [])
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return {
    turns: turnsDone,
    heapBytes: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().length,
    files: readdirSync("/proc/self/fd").length,
    storeBytes: sizeOf(file),
    walBytes: sizeOf(`${file}-wal`),
    indexes: live.reduce((sum, { size }) => sum + size, 0),
    cpuMs,
  }
}

/** The acknowledged turns of this process, by conversation. */
const acknowledged = new Map<string, number>()

async function say(session: Session, text: string): Promise<void> {
  const result = await session.send(text).result
  if (!result.ok) throw result.error
  const { conversation } = session.key
  acknowledged.set(conversation, (acknowledged.get(conversation) ?? 0) + 1)
  restTimers.advance(turnMs)
}

const held = new Map<string, Session>()

/** A conversation's session. The program holds the ten that it used last, and opens others again. */
function sessionOf(conversation: string): Session {
  const session = held.get(conversation) ?? fay.session(conversation)
  held.delete(conversation)
  held.set(conversation, session)
  const [oldest] = held.keys()
  if (held.size > 10 && oldest !== undefined) held.delete(oldest)
  return session
}

/** Talks for one stretch. Conversations begin one after the other; twenty are in use, an old one goes on now and then, a user is forgotten. */
async function stretch(number: number): Promise<void> {
  const random = mulberry32(seed * 100_003 + number)
  for (let turn = number * turnsEach; turn < (number + 1) * turnsEach; turn++) {
    const newest = Math.floor(turn / turnsOfSession)
    const anOld = () => `talk ${Math.floor(random() * newest)}`
    const inUse = `talk ${Math.max(0, newest - Math.floor(random() * 20))}`
    await say(sessionOf(random() < 0.05 ? anOld() : inUse), dialogueText(turn, "question"))
    if (turn % 20 === 0) await fay.idle()
    if (random() > 0.002) continue
    const user = anOld()
    await store.forget({ agent: "fay", user })
    acknowledged.delete(user)
  }
  await fay.idle()
  const guest = lifeAgent("guest", store, { clock, ids })
  for (let turn = 0; turn < 3; turn++) await say(guest.session("guest"), dialogueText(number * 3 + turn, "question"))
  await guest.close()
}

/** Throws unless every acknowledged turn of this process is there. */
async function checkAcknowledged(): Promise<void> {
  for (const [conversation, turns] of acknowledged) {
    const agent = conversation === "guest" ? "guest" : "fay"
    const { history = [] } = (await store.load({ agent, conversation, audience: "private" })) ?? {}
    const found = new Set(history.flatMap(({ turnId }) => (turnId.includes(ownIds) ? [turnId] : []))).size
    if (found !== turns) throw new Error(`Of ${turns} acknowledged turns of ${conversation}, ${found} are there.`)
  }
}

const ownIds = `-of-${process.pid}-`
let idCount = 0
const ids = { next: (prefix: string) => `${prefix}${ownIds}${++idCount}` }
const store = await openSqliteStore(file, { timers, jobs: { timeoutMs: 2 * restMs, maxWaitMs: 2 * restMs } })
const fay = lifeAgent("fay", store, { clock, ids })
console.log("ready")
for (let number = done; number < samples; number++) {
  const before = process.cpuUsage()
  await stretch(number)
  const { user, system } = process.cpuUsage(before)
  await collectGarbage()
  console.log(`sample ${JSON.stringify(measure((number + 1) * turnsEach, (user + system) / 1000))}`)
}
await checkAcknowledged()
await fay.close()
// A job of a process beside this one that was killed in the last of its attempts is a dead letter, as promised. Nothing else may be wrong.
const dead = await store.jobs.dead()
const isAllKilled = dead.every(({ error }) => error.startsWith("The process ended during attempt"))
const { problems } = await store.check()
const faults = problems.filter((problem) => !(isAllKilled && problem.startsWith(`jobs: ${dead.length} failed for good.`)))
console.log(faults.length === 0 ? "whole" : `warning ${faults.join("; ")}`)
await store.close()
