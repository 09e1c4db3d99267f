import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SessionLinks } from "../../../../src/services/recall/documents/session-links.ts"

interface Line {
  readonly session: string
  readonly turn: number
  readonly atMs: number
  readonly id: string
}

const line = (): fc.Arbitrary<Omit<Line, "id">> =>
  fc.record({ session: fc.constantFrom("a", "b"), turn: fc.nat(12), atMs: fc.nat(2) })

/** The neighbours of each line, found by sorting all lines. */
function beside(lines: ReadonlyMap<number, Line>, slot: number): { before: number; after: number } {
  const own = lines.get(slot)
  const order = [...lines]
    .filter(([, { session }]) => session === own?.session)
    .sort(([, a], [, b]) => a.turn - b.turn || a.atMs - b.atMs || (a.id < b.id ? -1 : 1))
  const at = order.findIndex(([other]) => other === slot)
  const near = (other: readonly [number, Line] | undefined) =>
    other !== undefined && Math.abs(other[1].turn - (own?.turn ?? 0)) <= 2 ? other[0] : -1
  return { before: near(order[at - 1]), after: near(order[at + 1]) }
}

describe("the lines beside a line", () => {
  test("are those next to it in its session and near in turns, whatever was added and removed", () => {
    fc.assert(
      fc.property(fc.array(line(), { maxLength: 30 }), fc.array(fc.nat(29), { maxLength: 15 }), (added, removed) => {
        const links = new SessionLinks()
        const lines = new Map(added.map((place, slot) => [slot, { ...place, id: String(slot) }]))
        for (const [slot, place] of lines) links.add(slot, place)
        for (const slot of removed) {
          const place = lines.get(slot)
          if (place === undefined) continue
          links.remove(slot, place)
          lines.delete(slot)
        }
        for (const slot of lines.keys()) {
          expect({ before: links.previous[slot], after: links.next[slot] }).toEqual(beside(lines, slot))
        }
        expect(links.sessions).toBe(new Set([...lines.values()].map(({ session }) => session)).size)
      }),
    )
  })
})
