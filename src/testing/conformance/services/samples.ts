import type { HistoryMessage } from "../../../core/history.ts"
import type { ServiceKey } from "../../../core/keys.ts"
import type { Job } from "../../../services/store/job-runner.ts"
import type { ProfileStatement, StoredMemory } from "../../../services/store/records.ts"
import type { SessionCommit } from "../../../services/store/session-store.ts"
import type { Store } from "../../../services/store/store.ts"

/** A key of an agent: by default the private conversation `talk` of the user `ann`. */
export function keyOf(agent: string, rest: Partial<ServiceKey> = {}): ServiceKey {
  return { agent, conversation: "talk", audience: "private", user: "ann", ...rest }
}

/** Something a user said. */
export function said(text: string, rest: Partial<HistoryMessage> = {}): HistoryMessage {
  return { role: "user", text, speaker: { id: "ann", name: "Ann" }, turnId: `turn of ${text}`, atMs: 1_000, ...rest }
}

export function commitOf(expectVersion: number, texts: readonly string[], rest: Partial<SessionCommit> = {}): SessionCommit {
  return { expectVersion, append: texts.map((text) => said(text)), state: {}, jobs: [], ...rest }
}

export function jobOf(id: string, key: ServiceKey, rest: Partial<Job> = {}): Job {
  return { id: `${key.agent} ${id}`, kind: "work", key, turnId: `turn ${id}`, atMs: 1_000, payload: { name: id }, ...rest }
}

/** A memory of the key's own; its text is its id. */
export function memoryOf(id: string, key: ServiceKey, rest: Partial<StoredMemory> = {}): StoredMemory {
  const { agent, conversation, audience, user } = key
  const said = {
    kind: "dialogue",
    text: id,
    speaker: { id: user, name: user },
    atMs: 1_000,
    turnId: `turn ${id}`,
    turn: 0,
  } as const
  return { id, agent, conversation, audience, user, ...said, ...rest }
}

/** Keeps memories whose hash is their id. */
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
