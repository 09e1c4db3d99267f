import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Moment } from "../../../src/memory/forgetting/decay.ts"
import { createWorkspace, type WorkspaceItem } from "../../../src/memory/forgetting/forgetting-workspace.ts"
import { runs, seedOf } from "../../support/size.ts"

const dayMs = 86_400_000
const at = (days: number, turn = days) => ({ atMs: days * dayMs, turn })

function file(id: string) {
  return { id, kind: "file", text: `about ${id}` } as const
}

function holding(...ids: string[]) {
  const workspace = createWorkspace()
  for (const id of ids) workspace.put(file(id), at(0))
  return workspace
}

describe("a workspace", () => {
  test("what is used is strengthened, what is perhaps used a little less, the rest only ages (R16)", () => {
    const workspace = holding("used", "perhaps", "neither")
    expect(workspace.report({ used: ["used"], maybeUsed: ["perhaps", "used", "invented"] }, at(1, 8))).toEqual(["invented"])
    const [used, perhaps, neither] = workspace.remembered(at(1, 8))
    expect([used?.id, used?.stability, used?.retrievability]).toEqual(["used", expect.closeTo(1.5, 6), 1])
    expect([perhaps?.id, perhaps?.stability, perhaps?.retrievability]).toEqual(["perhaps", expect.closeTo(1.248293, 6), 1])
    expect([neither?.id, neither?.stability, neither?.retrievability]).toEqual(["neither", 1, expect.closeTo(0.9, 6)])
  })

  test("removes what is under the threshold and hands it back, the least remembered first (R16, R17)", () => {
    const workspace = holding("old", "kept")
    workspace.report({ used: ["kept"], maybeUsed: [] }, at(10, 10))
    workspace.put(file("older"), at(0))
    expect(workspace.evict(at(11)).map(({ id }) => id)).toEqual([])
    expect(workspace.evict(at(12)).map(({ id }) => id)).toEqual(["old", "older"])
    expect(workspace.items().map(({ id }) => id)).toEqual(["kept"])
  })

  test("a mention a moment ago renews the clock and not the stability (R18)", () => {
    const workspace = holding("a")
    workspace.report({ used: ["a"], maybeUsed: [] }, at(5, 2))
    expect(workspace.items()[0]).toMatchObject({ stability: 1, recalled: at(5, 2), added: at(0) })
  })

  test("a mention one turn later is a moment ago, at whatever turn (R18)", () => {
    const stabilityAt = (first: number) => {
      const workspace = createWorkspace()
      workspace.put(file("a"), at(0, first))
      workspace.report({ used: ["a"], maybeUsed: [] }, at(5, first + 1))
      return workspace.items()[0]?.stability
    }
    expect([0, 500].map(stabilityAt)).toEqual([1, 1])
  })

  test("counts turns where it is told to", () => {
    const workspace = createWorkspace({ clock: { by: "turns", turnsPerDay: 10 } })
    workspace.put(file("a"), { atMs: 0, turn: 0 })
    expect(workspace.remembered({ atMs: 0, turn: 70 })[0]?.retrievability).toBeCloseTo(0.478297, 6)
  })

  test("comes back from its items exactly as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(30)), { maxLength: 20 }), (steps) => {
        const workspace = holding("a", "b")
        let turn = 0
        for (const [id, days] of steps) {
          turn += days
          if (workspace.report({ used: [id], maybeUsed: [] }, at(turn)).length > 0) workspace.put(file(id), at(turn))
        }
        const restored = createWorkspace({ items: JSON.parse(JSON.stringify(workspace.items())) })
        expect(restored.remembered(at(turn + 3))).toEqual(workspace.remembered(at(turn + 3)))
        expect(restored.evict(at(turn + 9))).toEqual(workspace.evict(at(turn + 9)))
      }),
    )
  })

  test("holds at most so many and lets the least remembered go", () => {
    const workspace = createWorkspace({ maxItems: 2 })
    for (const [day, id] of ["a", "b", "c"].entries()) workspace.put(file(id), at(day))
    expect(workspace.evict(at(3)).map(({ id }) => id)).toEqual(["a"])
  })

  test("refuses items that share an id", () => {
    const [item] = holding("a").items()
    expect(() => createWorkspace({ items: item ? [item, item] : [] })).toThrow(/found two called "a"/)
  })
})

/** A workspace as a plain list, with the formulas of R17 and R18 written out. */
class ListedWorkspace {
  #items: WorkspaceItem[] = []

  items = () => this.#items

  put(given: Pick<WorkspaceItem, "id" | "kind" | "text">, now: Moment): void {
    const known = this.#items.some(({ id }) => id === given.id)
    if (!known) this.#items = [...this.#items, { ...given, stability: 1, added: now, recalled: now }]
    else this.#items = this.#items.map((item) => (item.id === given.id ? reviewed({ ...item, ...given }, 0, now) : item))
  }

  report(used: readonly string[], maybeUsed: readonly string[], now: Moment): readonly string[] {
    this.#items = this.#items.map((item) => {
      if (used.includes(item.id)) return reviewed(item, item.difficulty ?? 0, now)
      return maybeUsed.includes(item.id) ? reviewed(item, item.difficulty ?? 0.7, now) : item
    })
    const all = [...new Set([...used, ...maybeUsed])]
    return all.filter((id) => !this.#items.some((item) => item.id === id))
  }

  best(now: Moment): readonly WorkspaceItem[] {
    return this.#items.toSorted((a, b) => strengthAt(b, now) - strengthAt(a, now))
  }

  evict(now: Moment, { evictBelow, maxItems }: { readonly evictBelow: number; readonly maxItems: number }): readonly string[] {
    const kept = this.best(now).filter((item) => strengthAt(item, now) >= evictBelow)
    const stays = new Set(kept.slice(0, maxItems))
    const gone = this.#items.filter((item) => !stays.has(item))
    this.#items = this.#items.filter((item) => stays.has(item))
    return gone.map(({ id }) => id)
  }

  remove(wanted: string): boolean {
    const before = this.#items.length
    this.#items = this.#items.filter(({ id }) => id !== wanted)
    return this.#items.length < before
  }
}

/** 0.9 after as many days as its stability says; eight turns are a day. */
const strengthAt = ({ stability, recalled }: WorkspaceItem, now: Moment) =>
  0.9 ** (Math.max(0, (now.turn - recalled.turn) / 8) / stability)

function reviewed(item: WorkspaceItem, difficulty: number, now: Moment): WorkspaceItem {
  const turns = now.turn - item.recalled.turn
  const gain = 5 * Math.exp(-(difficulty + (turns < 8 ? 2 : 0)))
  const stability = turns < 3 ? item.stability : item.stability * (1 + gain * (1 - strengthAt(item, now)))
  return { ...item, stability, recalled: now }
}

test("R15-R18: whatever is put in, used, taken out and forgotten, a workspace is as a plain list of its items", () => {
  const ids = ["a", "b", "c", "d", "e"] as const
  const some = fc.subarray([...ids, "none"], { maxLength: 3 })
  const step = fc.record({
    turns: fc.constantFrom(0, 1, 2, 3, 7, 8, 9, 40, 200),
    put: fc.option(fc.record({ id: fc.constantFrom(...ids), text: fc.constantFrom("one", "two") }), { nil: undefined }),
    used: some,
    maybeUsed: some,
    remove: fc.constantFrom(...ids, undefined, undefined, undefined),
    limit: fc.nat(6),
    evicts: fc.boolean(),
  })
  const limits = { evictBelow: 0.3, maxItems: 3 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const [real, listed] = [createWorkspace({ clock: { by: "turns", turnsPerDay: 8 }, ...limits }), new ListedWorkspace()]
      let turn = 0
      for (const { turns, put, used, maybeUsed, remove, limit, evicts } of steps) {
        turn += turns
        const now = { atMs: 0, turn }
        for (const each of put ? [real, listed] : []) each.put({ kind: "file", ...(put as NonNullable<typeof put>) }, now)
        expect(real.report({ used, maybeUsed }, now)).toEqual(listed.report(used, maybeUsed, now))
        if (remove !== undefined) expect(real.remove(remove)).toBe(listed.remove(remove))
        const later = { atMs: 0, turn: turn + 5 }
        const best = listed.best(later)
        expect(real.best(later, limit).map(({ id }) => id)).toEqual(best.slice(0, limit).map(({ id }) => id))
        const known = real.remembered(later)
        expect(known.map(({ id }) => id)).toEqual(best.map(({ id }) => id))
        for (const [at, item] of best.entries()) expect(known[at]?.retrievability).toBeCloseTo(strengthAt(item, later), 10)
        if (evicts) {
          const gone = real.evict(later)
          expect(gone.map(({ id }) => id).sort()).toEqual(listed.evict(later, limits).toSorted())
          expect(gone.map(({ retrievability }) => retrievability)).toEqual(
            gone.map(({ retrievability }) => retrievability).toSorted((a, b) => a - b),
          )
        }
        expect(real.size).toBe(listed.items().length)
        const close = (items: readonly WorkspaceItem[]) =>
          items.map((item) => ({ ...item, stability: expect.closeTo(item.stability, 8) }))
        expect(real.items()).toEqual(close(listed.items()))
      }
    }),
    { numRuns: runs(3_000), seed: seedOf(51) },
  )
})
