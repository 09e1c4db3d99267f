import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { applyChange, changeOf, type Diff } from "../../../../src/adapters/stores/sql/session/state-change.ts"

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const word = fc.constantFrom("a", "b", "__proto__", "10", "", "toString", "\ud800")

const anyJson = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 7, depthSize: "small" },
    fc.constantFrom<Json>(null, true, 0, 1.5, "", "words"),
    fc.array(tie("json"), { maxLength: 5 }),
    fc.array(fc.tuple(word, tie("json")), { maxLength: 4 }).map(objectOf),
  ),
})).json

function objectOf(members: readonly (readonly [string, Json])[]): Json {
  const made: Record<string, Json> = {}
  for (const [name, value] of members)
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
  return made
}

/** Changes a value as a turn does: some items go, some come, some move, most stay the same objects. */
function changed(json: Json, choose: () => number, fresh: Json): Json {
  if (choose() === 0) return fresh
  if (choose() < 4) return json
  if (Array.isArray(json)) {
    const kept = json.flatMap((item) => (choose() === 0 ? [] : choose() === 1 ? [item, fresh] : [changed(item, choose, fresh)]))
    return choose() === 0 ? kept.reverse() : kept
  }
  if (typeof json !== "object" || json === null) return json
  const members = Object.entries(json).flatMap(([name, item]): [string, Json][] =>
    choose() === 0 ? [] : [[name, changed(item, choose, fresh)]],
  )
  return objectOf(choose() === 0 ? [...members.reverse(), ["new", fresh]] : members)
}

/** A value as it comes back from a database. */
const stored = (change: Diff): Diff => JSON.parse(JSON.stringify(change)) as Diff

describe("the change of a state", () => {
  test("makes of what was before, read anew, the very text of what came after", () => {
    fc.assert(
      fc.property(anyJson, anyJson, fc.infiniteStream(fc.integer({ min: 0, max: 9 })), (before, fresh, choices) => {
        const choose = (): number => choices.next().value ?? 0
        let now = before
        const text = JSON.stringify(before)
        let read = JSON.parse(text) as unknown
        for (let turn = 0; turn < 3; turn++) {
          const after = changed(now, choose, fresh)
          read = applyChange(read, stored(changeOf(now, after)))
          expect(JSON.stringify(read)).toBe(JSON.stringify(after))
          now = after
        }
        expect(JSON.stringify(before), "nothing is changed in place").toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test("of a long list is as long as what changed in it", () => {
    const events = Array.from({ length: 2_000 }, (_, at) => ({ id: `e${at}`, text: `event ${at}` }))
    const before = { turns: 1, hooks: { context: { events, topic: { id: "t1" } } } }
    const recalled = events.map((event, at) => (at === 700 ? { ...event, recalled: 5 } : event))
    const cases = {
      "one more": [...events, { id: "new", text: "new" }],
      "the first is gone": events.slice(1),
      "one has changed": recalled,
      "one is gone, another has changed, one is new": [...recalled.filter((_, at) => at !== 100), { id: "new", text: "new" }],
      "its end is now its beginning": [...events.slice(1_000), ...events.slice(0, 1_000)],
    }
    for (const [name, list] of Object.entries(cases)) {
      const after = { turns: 2, hooks: { context: { events: list, topic: before.hooks.context.topic } } }
      const change = stored(changeOf(before, after))
      expect(JSON.stringify(change).length, name).toBeLessThan(250)
      expect(applyChange(JSON.parse(JSON.stringify(before)), change), name).toEqual(after)
    }
  })
})
