import { expect, test } from "vitest"
import { storedBody } from "../../../../src/adapters/stores/sql/row-body.ts"
import { changeOf } from "../../../../src/adapters/stores/sql/session/state-change.ts"
import { writeState } from "../../../../src/adapters/stores/sql/session/stored-state.ts"
import type { Queries } from "../../../../src/adapters/stores/sql/sql-database.ts"

/** Queries that do nothing. */
const db = new Proxy(
  {},
  { get: (_, name, self: unknown) => (name === "execute" ? async () => [] : name === "then" ? undefined : () => self) },
) as Queries
const key = { agent: "a", conversation: "c", audience: "private" } as const

test("a state is written as a change until the changes would be longer than the whole", async () => {
  const [before, state] = [{ large: "x".repeat(16_000) }, { large: "y" }]
  const length = storedBody(changeOf(before, state)).length
  const wholeOf = async (whole: number, changes: number) =>
    (await writeState(db, key, { state, version: 2, before: { state: before, size: { whole, changes } } })).whole
  expect(await wholeOf(16_000, 16_000 - length)).toEqual({})
  expect(await wholeOf(16_000, 16_001 - length)).toEqual({ whole_state: storedBody(state) })
  expect(await wholeOf(15_999, 0)).toEqual({ whole_state: storedBody(state) })
})
