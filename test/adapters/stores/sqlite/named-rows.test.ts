import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { collect } from "../../../support/collect.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { fillBodies, keyOf } from "../filled-store.ts"

const key = keyOf("a")
const { agent, conversation, user } = key

async function fill(store: Store): Promise<void> {
  await fillBodies(store, [key])
  const insight = { ...key, id: "insight", kind: "insight", text: "likes tea", turnId: "t1", turn: 0, atMs: 2 }
  const speaker = { id: user, name: user }
  await store.memories.put({ ...insight, speaker, sources: ["memory-a"] } as never, { hash: "insight", key })
  await store.memories.put({ ...insight, kind: "dialogue", id: "other", speaker } as never, { hash: "other", key })
  const append = [{ role: "user" as const, speaker, atMs: 9, turnId: "t3", text: "third", recalled: ["memory-a"] as never }]
  await store.commit(key, { expectVersion: 2, append, state: { at: 3 }, jobs: [] })
}

type Uses = readonly (readonly [string, (store: Store) => Promise<unknown>])[]

const reads: Uses = [
  ["load", (store) => store.load(key)],
  ["messages", (store) => store.messages(key, { limit: 9 })],
  ["a memory", (store) => store.memories.get("insight", key)],
  ["changes of memories", (store) => store.memories.changes(key, { limit: 9 })],
  ["recent memories", (store) => store.memories.recent(key, { limit: 9 })],
  ["memories without a vector", (store) => store.memories.withoutVector("n", key, 9)],
  ["vectors", (store) => store.memories.vectors(["memory-a"], "m", key)],
  ["profile", (store) => store.users.load(key)],
  ["receipts of a turn", (store) => store.receipts.ofTurn("t1", key)],
  ["export", (store) => collect(store.export({ agent }))],
]

const deletions: Uses = [
  ["forget a memory", (store) => store.memories.forget(["memory-a"], { atMs: 9, key })],
  ["forget the conversation", (store) => store.forget({ agent, conversation })],
  ["forget the user", (store) => store.forget({ agent, user })],
]

const damages = [
  ["sessions", "whole_state", "true"],
  ["state_changes", "body", "true"],
  ["messages", "body", "position = 0"],
  ["messages", "body", "turn_id = 't3'"],
  ["notes", "body", "true"],
  ["memories", "body", "id = 'memory-a'"],
  ["memories", "body", "id = 'insight'"],
  ["statements", "body", "true"],
  ["receipts", "body", "true"],
  ["vectors", "vector", "true"],
  ["jobs", "body", "true"],
] as const

/** The row that a use names when it meets it; undefined if the use does without it. */
async function namedBy(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
    const { table, row } = error.evidence as { table?: string; row?: Record<string, unknown> }
    const columns = Object.entries(row ?? {}).map(([name, value]) => `${name} ${value}`)
    const named = `${table} (${columns.join(", ")})`
    expect([error.code, error.message]).toEqual(["store", expect.stringContaining(named)])
    return named
  }
}

test("every use that meets a damaged row names it by its table and its columns, and the others go on", async () => {
  const folder = tempFolder()
  const whole = join(folder, "whole.sqlite")
  const filled = await openSqliteStore(whole)
  await fill(filled)
  await filled.close()
  const told: string[] = []
  for (const [table, column, where] of damages) {
    const damaged = join(folder, `${told.length}.sqlite`)
    copyFileSync(whole, damaged)
    const database = new DatabaseSync(damaged)
    const text = column === "vector" ? Buffer.of(1) : "{"
    const { changes } = database.prepare(`update ${table} set ${column} = ? where ${where}`).run(text)
    database.close()
    expect(Number(changes), `rows of ${table}`).toBeGreaterThan(0)
    const named: Record<string, string[]> = {}
    for (const uses of [reads, ...deletions.map((use) => [use])]) {
      const file = join(folder, "used.sqlite")
      copyFileSync(damaged, file)
      const store = await openSqliteStore(file, { onWarning: () => undefined })
      for (const [use, run] of uses) {
        const row = await namedBy(run(store))
        if (row !== undefined) named[row] = [...(named[row] ?? []), use]
      }
      await store.close()
    }
    told.push(`# ${table}.${column}${where === "true" ? "" : ` where ${where}`}`)
    told.push(...Object.entries(named).map(([row, uses]) => `${row}\n  is named by: ${uses.join(", ")}`), "")
  }
  await expect(told.join("\n")).toMatchFileSnapshot("named-rows.md")
})
