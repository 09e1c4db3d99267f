import { expect, test } from "vitest"
import type { PromptStrataError } from "../../../../src/core/errors.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { readStoreRow, readStoreRows } from "../../../../src/memory/services/store/store-row.ts"
import { keyOf, plant } from "../../../../src/testing/conformance/store/samples.ts"
import { collect } from "../../../support/collect.ts"

test.each([
  ["{}", "no table is named"],
  ["3", "no table is named"],
  ['{"table": "cats"}', 'the table "cats" is unknown'],
])("the line %s of an export is refused: %s", (line, words) => {
  expect(() => readStoreRow(line, 7)).toThrow(words)
})

test.each([0.5, -2, 1, 7])("a message that follows %d is refused where one message stands before it", async (follows) => {
  const row = {
    table: "message",
    agent: "a",
    conversation: "c",
    audience: "private",
    message: { role: "user", turnId: "t", speaker: { id: "a", name: "A" }, text: "hi", atMs: 1 },
  }
  const lines = (given: number) => [row, { ...row, follows: given }].map((line) => JSON.stringify(line))
  await expect(readStoreRows(lines(follows))).rejects.toThrow("follows one of the 1 before it, or none (-1)")
  for (const fine of [-1, 0]) expect(await readStoreRows(lines(fine))).toHaveLength(2)
})

/** The paths of all values in a row that are no rows of values themselves. */
function pathsOf(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path]
  const within = Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, path === "" ? name : `${path}.${name}`))
  return path === "" ? within : [path, ...within]
}

/** A copy of a row with another value at a path; `undefined` leaves the member out. */
function changed(line: string, path: string, value: unknown): string {
  const row = JSON.parse(line) as Record<string, unknown>
  const names = path.split(".")
  const last = names.pop() as string
  const owner = names.reduce((inner, name) => inner[name] as Record<string, unknown>, row)
  owner[last] = value
  return JSON.stringify(row)
}

test("a row is refused by the name and type of each member that it needs, if that is missing or another value", async () => {
  const store = createInMemoryStore()
  const key = keyOf("fay")
  await plant(store, key, "word")
  await store.blobs.put(Uint8Array.of(1), key)
  const lines = new Map((await collect(store.export({ agent: "fay" }))).map((line) => [JSON.parse(line).table as string, line]))
  const needed: string[] = []
  for (const [table, line] of lines)
    for (const path of pathsOf(JSON.parse(line))) {
      const [none, other, empty] = [undefined, true, null].map((value) => problemOf(changed(line, path, value)))
      if (none === undefined) continue
      needed.push(`${table} ${none}`)
      expect([other ?? none, empty], `${path} of ${table}`).toEqual([
        path === "table" ? other : none,
        path === "table" ? empty : none,
      ])
    }
  expect([...new Set(needed)].join("\n")).toMatchSnapshot()
  for (const line of lines.values()) expect(readStoreRow(line, 1)).toEqual(JSON.parse(line))
  const session = lines.get("session") ?? ""
  expect(problemOf(changed(session, "audience", "public"))).toContain("needs audience (audience)")
})

/** The complaint about a line; undefined if it is a row. */
function problemOf(line: string): string | undefined {
  try {
    readStoreRow(line, 1)
    return undefined
  } catch (error) {
    const { hint, message } = error as PromptStrataError
    expect(hint).toBe("Nothing of this line was imported; export again from the store that it came from.")
    return message.replace("expected an exported row in line 1, but ", "").split("\n")[0]
  }
}

test("a memory's keys are read as they are, and refused if they are malformed", () => {
  const speaker = { id: "a", name: "A" }
  const place = { agent: "a", conversation: "c", audience: "private", user: "a" }
  const memory = { ...place, id: "m", kind: "dialogue", text: "hi", turnId: "t", turn: 0, atMs: 1, speaker }
  const lineOf = (keys: unknown) => JSON.stringify({ table: "memory", hash: "h", memory: { ...memory, keys } })
  const fact = { subject: "A", relation: "home" }
  for (const keys of [
    undefined,
    { words: [] },
    { words: ["a"], dates: ["2026-03-04"], facts: [fact, { ...fact, value: "Oslo" }], by: "m" },
  ])
    expect(readStoreRow(lineOf(keys), 1)).toMatchObject({ memory: keys === undefined ? {} : { keys } })
  const bad = [null, 5, [], { words: 5 }, { words: [1] }, { words: [], subject: 5 }, { words: [], dates: [null] }]
  const facts = ["x", [null], [{ subject: "A" }], [{ ...fact, value: 5 }]].map((facts) => ({ words: [], facts }))
  for (const keys of [...bad, ...facts])
    expect(problemOf(lineOf(keys)), JSON.stringify(keys)).toContain("keys are none of a memory")
})
