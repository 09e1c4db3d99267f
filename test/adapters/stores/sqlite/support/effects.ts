import { expect } from "vitest"
import type { Store } from "../../../../../src/memory/services/store/store.ts"
import { readStoreRow, type StoreRow } from "../../../../../src/memory/services/store/store-row.ts"
import { checkState } from "../../../../support/turn-states.ts"
import { agent } from "./turns.ts"

/** All rows of the agent. */
export async function allRows(store: Store): Promise<readonly StoreRow[]> {
  const rows: StoreRow[] = []
  for await (const line of store.export({ agent })) rows.push(readStoreRow(line, rows.length + 1))
  return rows
}

/** The stored turns by conversation. Fails when a turn is incomplete or stored twice, or when a session has a wrong count. */
export function storedTurns(rows: readonly StoreRow[]): readonly string[] {
  const turns: string[] = []
  const counts = new Map<string, number>()
  const messages = rows.filter((row) => row.table === "message")
  for (let at = 0; at < messages.length; at += 2) {
    const [question, answer] = [messages[at]?.message, messages[at + 1]?.message]
    expect([question?.role, answer?.role]).toEqual(["user", "assistant"])
    expect(answer?.turnId).toBe(question?.turnId)
    turns.push(question?.turnId ?? "")
    const name = messages[at]?.conversation ?? ""
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  expect(new Set(turns).size, "turns that are there once").toBe(turns.length)
  for (const row of rows) {
    if (row.table !== "session") continue
    expect(row.version).toBe(counts.get(row.conversation))
    const history = messages.flatMap(({ conversation, message }) => (conversation === row.conversation ? [message] : []))
    checkState({ history, state: row.state })
  }
  return turns
}

/** Fails unless each turn has one memory, one receipt of each kind and one revision of its user, in order, and no job is left. */
export function checkEffects(rows: readonly StoreRow[]): void {
  const turns = storedTurns(rows)
  const sorted = [...turns].sort()
  const memories = rows.flatMap((row) => (row.table === "memory" ? [row.memory.turnId] : []))
  expect(memories.sort()).toEqual(sorted)
  for (const kind of ["importance", "profile"]) {
    const receipts = rows.flatMap((row) => (row.table === "receipt" && row.receipt.kind === kind ? [row.receipt.turnId] : []))
    expect(receipts.sort()).toEqual(sorted)
  }
  const counts = new Map<string, number>()
  const order = new Map(turns.map((turnId, at) => [turnId, at]))
  const last = new Map<string, number>()
  for (const row of rows) {
    if (row.table !== "statement") continue
    counts.set(row.user, (counts.get(row.user) ?? 0) + 1)
    expect(Number(row.statement.value), `what ${row.user} had been counted to`).toBe(counts.get(row.user))
    const at = order.get(row.statement.turnId) ?? -1
    expect(at, "revisions stand in the order of the turns").toBeGreaterThan(last.get(row.user) ?? -1)
    last.set(row.user, at)
  }
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(turns.length)
  expect(rows.filter(({ table }) => table === "job")).toEqual([])
}
