import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createWorkspace } from "../../src/forgetting/forgetting-workspace.ts"

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
