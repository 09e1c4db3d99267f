import { checkOptions } from "../../../core/check-options.ts"
import type { HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import { hostTimers, type Timers } from "../../../core/ports.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import type { ProfileStatement, StoredMemory } from "../../../memory/services/store/records.ts"
import type { SessionCommit } from "../../../memory/services/store/session-store.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claim } from "../claims.ts"

/** A key of an agent: by default the private conversation `talk` of the user `ann`. */
export function keyOf(agent: string, rest: Partial<ServiceKey> = {}): ServiceKey {
  return { agent, conversation: "talk", audience: "private", user: "ann", ...rest }
}

/** The speaker of a message who is not the default one. */
export const bob = { speaker: { id: "bob", name: "Bob" } }

/** One member of each row. */
export function valuesOf<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name])
}

export const textsOf = (rows: readonly { readonly text: string }[] = []): string[] => valuesOf(rows, "text")

export const idsOf = (rows: readonly { readonly id: string }[]): string[] => valuesOf(rows, "id")

/** A message of a user. */
export function said(text: string, rest: Partial<HistoryMessage> = {}): HistoryMessage {
  return { role: "user", text, speaker: { id: "ann", name: "Ann" }, turnId: `turn of ${text}`, atMs: 1_000, ...rest }
}

export function commitOf(expectVersion: number, texts: readonly string[], rest: Partial<SessionCommit> = {}): SessionCommit {
  return { expectVersion, append: texts.map((text) => said(text)), state: {}, jobs: [], ...rest }
}

export function jobOf(id: string, key: ServiceKey, rest: Partial<Job> = {}): Job {
  return { id: `${key.agent} ${id}`, kind: "work", key, turnId: `turn ${id}`, atMs: 1_000, payload: { name: id }, ...rest }
}

/** A memory that belongs to the key. Its text is its id. */
export function memoryOf(id: string, key: ServiceKey, rest: Partial<StoredMemory> = {}): StoredMemory {
  const { agent, conversation, audience, user } = key
  const said = { text: id, speaker: { id: user, name: user }, atMs: 1_000, turnId: `turn ${id}`, turn: 0 }
  return { id, agent, conversation, audience, user, kind: "dialogue", ...said, ...rest }
}

/** Stores memories, each with a hash made from its id. */
export async function keep(store: Store, key: ServiceKey, ...memories: readonly StoredMemory[]): Promise<void> {
  for (const memory of memories) await store.memories.put(memory, { hash: `hash of ${memory.id}`, key })
}

export function statementOf(
  name: string,
  value: string,
  key: ServiceKey,
  rest: Partial<ProfileStatement> = {},
): ProfileStatement {
  const { conversation, audience } = key
  return { name, value, confidence: 0.8, atMs: 1_000, turnId: `turn of ${value}`, conversation, audience, ...rest }
}

/** Texts that databases, JSON and JavaScript are known to spoil. */
export const hardTexts: readonly string[] = [
  "",
  "\u0000 nul",
  "\ud83d half a character \ude00",
  "family 👨‍👩‍👧‍👦 and 漢字 and \u202e",
  "line\r\nline\u2028line",
  "'; DROP TABLE messages; --",
  '"quotes", \\ and %_',
]

/** Puts a word into every place where a store can keep one for a key: messages, notes, jobs, memories, statements, receipts. */
export async function plant(store: Store, key: ServiceKey, word: string): Promise<void> {
  const { agent, user } = key
  const turnId = `turn ${word}`
  const version = (await store.load(key))?.version ?? 0
  const speaker = { id: user, name: user }
  const append = [
    said(`I say ${word}`, { speaker, turnId, recalled: [`recalled ${word}`] }),
    said(`you say ${word}`, { role: "assistant", speaker: { id: agent, name: "Fay" }, turnId }),
  ]
  await store.post(key, { id: `taken ${turnId}`, owner: "hook", payload: { word } })
  const state = { memoryOn: true, turns: 3, hooks: { character: { mood: word } } }
  const jobs = [jobOf(`job ${word}`, key, { turnId })]
  await store.commit(key, commitOf(version, [], { append, state, jobs, taken: [`taken ${turnId}`] }))
  await store.post(key, { id: `note ${turnId}`, owner: "hook", payload: { word } })
  const id = `memory ${word}`
  await keep(store, key, memoryOf(id, key, { text: `${user} likes ${word}`, turnId }))
  await store.memories.putVectors([{ memoryId: id, model: "m", values: Float32Array.of(1, 2) }], key)
  const statement = statementOf("likes", word, key, { turnId })
  const { version: known } = await store.users.load(key)
  await store.users.append([statement], { turnId, expectVersion: known, key })
  const receipt = { key, turnId, kind: "profile", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 } as const
  await store.receipts.put({ ...receipt, message: `found ${word}`, value: { word } })
}

/** The complete export of an agent. */
export async function exported(store: Pick<Store, "export">, agent: string): Promise<readonly string[]> {
  return linesOf(store.export({ agent }))
}

export async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

/** A rule that every implementation of a service keeps, as a test. */
export interface ServiceCheck {
  readonly name: string
  /** Rejects with code `test` if the service breaks the rule. */
  run(): Promise<void>
}

/** An opened service. The suite calls `close` when the check has ended. */
export interface OpenedService<T> {
  readonly service: T
  close?(): Promise<void>
}

/** Settings of a suite. */
export interface ServiceConformanceOptions {
  /** A check fails if it waits longer than this for something to happen. Default 20,000. */
  readonly limitMs?: number
  readonly timers?: Timers
}

/** The parameters of a rule. */
export interface Scene<T> {
  readonly service: T
  /** The id of an agent that no other check uses, so that a suite can run on one database. */
  readonly agent: string
  /** The private conversation `talk` of the user `ann`. */
  readonly key: ServiceKey
  /** The same user in the group `club`. */
  readonly group: ServiceKey
  /** Tests the condition every few milliseconds and resolves when it holds. Rejects after the suite's `limitMs`. */
  until(condition: () => boolean | Promise<boolean>, what: string): Promise<void>
}

/** The rules of a suite by name. */
export type Rules<T> = Readonly<Record<string, (scene: Scene<T>) => Promise<void>>>

const lookEveryMs = 5

/** Makes a check of each rule. Each check opens the service anew and closes it again. */
export function runRules<T>(
  suite: string,
  rules: Rules<T>,
  open: () => Promise<OpenedService<T>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  checkOptions(`The suite ${suite}`, options, "limitMs timers")
  const { limitMs = 20_000, timers = hostTimers } = options
  async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let waitedMs = 0; !(await condition()); waitedMs += lookEveryMs) {
      claim(waitedMs < limitMs, what, `not so after ${limitMs} ms`)
      await new Promise<void>((resolve) => timers.set(resolve, lookEveryMs))
    }
  }
  return Object.entries(rules).map(([name, verify]) => ({
    name,
    async run() {
      const { service, close } = await open()
      try {
        const agent = `${suite}: ${name}`
        const key = keyOf(agent)
        const group = keyOf(agent, { audience: "group", conversation: "club" })
        await verify({ service, agent, key, group, until })
      } finally {
        await close?.()
      }
    },
  }))
}
