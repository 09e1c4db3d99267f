import type { SessionRecord } from "../services/store/session-store.ts"

/** What a session's state holds for the agent itself, beside what its stack keeps. Plain JSON. */
export interface SessionState {
  /** False once the conversation's memory was switched off (D2). */
  readonly memoryOn: boolean
  /** Turns that were committed. */
  readonly turns: number
  /** What each hook keeps, by its name. */
  readonly hooks: Readonly<Record<string, unknown>>
}

/** Reads the state of a record; what it lacks, or holds in another form, is as in a new session. */
export function sessionState(record: SessionRecord | undefined): SessionState {
  const { memoryOn, turns, hooks } = record?.state ?? {}
  return { memoryOn: memoryOn !== false, turns: isCount(turns) ? turns : 0, hooks: isRecord(hooks) ? hooks : {} }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
