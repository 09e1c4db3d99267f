import fc from "fast-check"
import { expect, test } from "vitest"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { RowTable } from "../../../../../src/memory/services/store/in-memory/row-table.ts"
import { collect } from "../../../../support/collect.ts"

const key = { agent: "fay", conversation: "talk", audience: "private" } as const

test("a commit behind an earlier turn that is refused leaves the store in memory as it was", async () => {
  const store = createInMemoryStore()
  const said = (turnId: string) => ({
    role: "user" as const,
    text: turnId,
    speaker: { id: "ann", name: "Ann" },
    turnId,
    atMs: 1,
  })
  for (const [expectVersion, turnId] of ["a", "b", "c"].entries())
    await store.commit(key, { expectVersion, append: [said(turnId)], state: {}, jobs: [] })
  const before = await collect(store.export({ agent: "fay" }))
  const refused = { expectVersion: 3, append: [said("d")], state: { no: () => undefined }, jobs: [], after: "a" }
  await expect(store.commit(key, refused as never)).rejects.toMatchObject({ code: "usage" })
  expect(await collect(store.export({ agent: "fay" }))).toEqual(before)
  await store.close()
})

test("an import that is refused while it is written leaves the store in memory as it was", async () => {
  const store = createInMemoryStore()
  const said = { role: "user", text: "a", speaker: { id: "ann", name: "Ann" }, turnId: "a", atMs: 1 } as const
  await store.commit(key, { expectVersion: 0, append: [said], state: {}, jobs: [] })
  const before = await collect(store.export({ agent: "fay" }))
  let deep: unknown = 1
  for (let level = 0; level < 501; level++) deep = [deep]
  const rows = [
    { table: "session", ...key, conversation: "other", version: 1, state: {} },
    { table: "message", ...key, conversation: "other", message: said },
    { table: "session", ...key, conversation: "third", version: 1, state: { deep } },
  ]
  await expect(store.import(rows.map((row) => JSON.stringify(row)))).rejects.toMatchObject({ code: "usage" })
  expect(await collect(store.export({ agent: "fay" }))).toEqual(before)
  await store.close()
})

test("a caller may change what it commits as soon as it has called, at any moment of an import", async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const store = createInMemoryStore()
    await store.check()
    const importing = store.import([JSON.stringify({ table: "session", ...key, conversation: "other", version: 1, state: {} })])
    for (let tick = 0; tick < ticks; tick++) await undefined
    const said = { role: "user" as const, text: "a", speaker: { id: "ann", name: "Ann" }, turnId: "a", atMs: 1 }
    const state = { mood: "good" }
    const committing = store.commit(key, { expectVersion: 0, append: [said], state, jobs: [] })
    said.text = "changed"
    state.mood = "changed"
    await Promise.all([importing, committing])
    expect(await store.load(key)).toMatchObject({ history: [{ text: "a" }], state: { mood: "good" } })
    await store.close()
  }
})

test("rows are found through an index as if every row were looked at, whatever was added, replaced and removed", () => {
  const row = fc.record({ id: fc.integer({ min: 0, max: 9 }), by: fc.constantFrom("x", "y"), at: fc.integer({ min: 0, max: 5 }) })
  const step = fc.record({ isGone: fc.boolean(), row })
  const asked = fc.record({
    by: fc.constantFrom("x", "y"),
    above: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
    isDescending: fc.boolean(),
    limit: fc.integer({ min: 0, max: 4 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), asked, (steps, { by, above, isDescending, limit }) => {
      const table = new RowTable(["id"], [["by", "at"]])
      for (const { isGone, row: given } of steps) {
        const known = table.like(given)
        if (!isGone) table.set(given)
        else if (known !== undefined) table.remove(known)
      }
      const isAbove = above === undefined ? undefined : (at: unknown) => Number(at) > above
      const tests = [
        { column: "by", value: by, check: undefined },
        ...(isAbove ? [{ column: "at", value: above, check: isAbove }] : []),
      ]
      const conditions = { by, ...(above !== undefined && { at: { above } }) }
      const selection = { order: ["at"], isDescending, limit }
      const all = table.find({}, tests, { order: ["at"], isDescending }).map(({ at }) => at)
      expect(table.find(conditions, tests, selection).map(({ at }) => at)).toEqual(all.slice(0, limit))
    }),
  )
})

test("rows that are named by their keys come in the order that is asked for", () => {
  const table = new RowTable(["by", "at"], [["by", "at"]])
  for (const at of [1, 2, 3]) table.set({ by: "x", at })
  const asked = { by: "x", at: { in: [3, 1, 3, 7] } }
  const found = (isDescending: boolean) => table.find(asked, [], { order: ["at"], isDescending }).map(({ at }) => at)
  expect(found(false)).toEqual([1, 3])
  expect(found(true)).toEqual([3, 1])
})
