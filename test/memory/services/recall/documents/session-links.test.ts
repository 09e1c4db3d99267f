import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SessionLinks } from "../../../../../src/memory/services/recall/documents/session-links.ts"

interface Line {
  readonly session: string
  readonly turn: number
  readonly atMs: number
  readonly id: string
}

/** The longest silence within a talk. */
const silenceMs = 4 * 3_600_000

const line = (): fc.Arbitrary<Omit<Line, "id">> =>
  fc.record({ session: fc.constantFrom("a", "b"), turn: fc.nat(12), atMs: fc.nat(5).map((half) => half * silenceMs * 0.5) })

/** The neighbours of each line, found by sorting all lines. */
function beside(lines: ReadonlyMap<number, Line>, slot: number): { before: number; after: number } {
  const own = lines.get(slot)
  const order = [...lines]
    .filter(([, { session }]) => session === own?.session)
    .sort(([, a], [, b]) => a.turn - b.turn || a.atMs - b.atMs || (a.id < b.id ? -1 : 1))
  const at = order.findIndex(([other]) => other === slot)
  const near = (other: readonly [number, Line] | undefined) =>
    other !== undefined &&
    Math.abs(other[1].turn - (own?.turn ?? 0)) <= 2 &&
    Math.abs(other[1].atMs - (own?.atMs ?? 0)) <= silenceMs
      ? other[0]
      : -1
  return { before: near(order[at - 1]), after: near(order[at + 1]) }
}

/** The number of talks: each session in its order, cut at each silence. */
function talkCount(lines: ReadonlyMap<number, Line>): number {
  let count = 0
  for (const members of Map.groupBy(lines.values(), ({ session }) => session).values()) {
    const times = members.sort((a, b) => a.turn - b.turn || a.atMs - b.atMs || (a.id < b.id ? -1 : 1)).map(({ atMs }) => atMs)
    count += 1 + times.filter((atMs, at) => at > 0 && Math.abs(atMs - (times[at - 1] ?? 0)) > silenceMs).length
  }
  return count
}

/** Expects the lines' talks to be those of each session in its order, by whatever numbers. */
function expectTalks({ talks: { bySlot, count } }: SessionLinks, lines: ReadonlyMap<number, Line>) {
  const talks = new Set([...lines.keys()].map((slot) => bySlot[slot]))
  expect(talks.size).toBe(talkCount(lines))
  expect(count).toBe(talks.size)
  expect([...talks].every((talk = -1) => talk >= 0 && talk < count)).toBe(true)
  const fresh = new SessionLinks(String)
  for (const [slot, place] of lines) fresh.add(slot, place)
  const pairs = new Set([...lines.keys()].map((slot) => `${bySlot[slot]} ${fresh.talks.bySlot[slot]}`))
  expect(pairs.size).toBe(count)
}

describe("the lines beside a line", () => {
  test("are those next to it in its session and near in turns, whatever was added and removed", () => {
    fc.assert(
      fc.property(fc.array(line(), { maxLength: 30 }), fc.array(fc.nat(29), { maxLength: 15 }), (added, removed) => {
        const links = new SessionLinks(String)
        const lines = new Map(added.map((place, slot) => [slot, { ...place, id: String(slot) }]))
        const told = new Map<number, Line>()
        for (const [slot, place] of lines) {
          links.add(slot, place)
          told.set(slot, place)
          if (slot % 3 > 0) expectTalks(links, told)
        }
        for (const slot of removed) {
          const place = lines.get(slot)
          if (place === undefined) continue
          links.remove(slot, place)
          lines.delete(slot)
        }
        for (const slot of lines.keys()) {
          expect({ before: links.previous[slot], after: links.next[slot] }).toEqual(beside(lines, slot))
        }
        expectTalks(links, lines)
      }),
    )
  })

  test("M37 a line behind the others, or between two of its talk, leaves all talks as they are", () => {
    const links = new SessionLinks(String)
    const atMs = (turn: number) => Math.floor(turn / 50) * 2 * silenceMs
    const add = (slot: number, turn: number) => links.add(slot, { session: "a", turn, atMs: atMs(turn) })
    for (let slot = 0; slot < 1_000; slot++) add(slot, slot + (slot > 500 ? 1 : 0))
    const before = links.talks
    const reads: string[] = []
    const lengths = new Proxy(new Uint32Array(2_000).fill(1), {
      get: (numbers, name) => {
        reads.push(String(name))
        return Reflect.get(numbers, name, numbers)
      },
    })
    const field = { lengths }
    links.talkLengths(field)
    expect(reads.length).toBe(1_000)
    add(1_000, 1_001)
    add(1_001, 1_100)
    add(1_002, 501)
    expect(links.talks).toBe(before)
    expect([links.talks.count, links.talks.bySlot[1_000], links.talks.bySlot[1_001], links.talks.bySlot[1_002]]).toEqual([
      22, 20, 21, 10,
    ])
    const sums = links.talkLengths(field)
    expect(reads.slice(1_000)).toEqual(["1000", "1001", "1002"])
    expect([sums.length >= 22, sums[10], sums[20], sums[21]]).toEqual([true, 50, 2, 1])
  })
})
