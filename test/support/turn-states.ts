import { expect } from "vitest"
import type { SessionRecord } from "../../src/memory/services/store/session-store.ts"

const kept = 100

/** A state that a turn changes a little: large enough to be written as changes. */
export function stateAfter(record: SessionRecord | undefined, turnId: string): SessionRecord["state"] {
  const turns = (record?.state.turns as readonly object[] | undefined) ?? []
  return { last: turnId, ballast: "words ".repeat(3_000), turns: [...turns, { turnId }].slice(-kept) }
}

/** Fails on a session whose state is not that of its last turns. */
export function checkState(record: Pick<SessionRecord, "history" | "state"> | undefined): void {
  const turns = record?.history.filter(({ role }) => role === "user").map(({ turnId }) => turnId) ?? []
  const { last, turns: found } = { turns: [], ...record?.state } as { last?: string; turns: readonly { turnId: string }[] }
  expect([found.map(({ turnId }) => turnId), last]).toEqual([turns.slice(-kept), turns.at(-1)])
}
