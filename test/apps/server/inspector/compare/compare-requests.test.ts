import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { align } from "../../../../../src/apps/server/inspector/compare/align.ts"
import { diffTexts } from "../../../../../src/apps/server/inspector/compare/compare-texts.ts"
import { type ComparableRequest, compareRequests } from "../../../../../src/apps/server/inspector/compare/compare-turns.ts"
import type { RecordedMessage } from "../../../../../src/apps/server/inspector/turn-record.ts"
import { runs, seedOf } from "../../../../support/size.ts"

const line = fc.constantFrom("a\n", "b\n", "", "\n", "展 😀", "\r\n", "a")
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(""))
const span = fc
  .record({ text, key: fc.constantFrom("", "persona", "history"), tokens: fc.nat(9) })
  .map((given) => ({ ...given, part: "content", trust: "user", stability: "turn" }) as const)
const message: fc.Arbitrary<RecordedMessage> = fc.record({
  role: fc.constantFrom("system", "user", "assistant", "tool"),
  spans: fc.array(span, { maxLength: 3 }),
  toolCalls: fc.constantFrom(undefined, [{ id: "1", name: "look", args: "{}" }]),
})
const request: fc.Arbitrary<ComparableRequest> = fc
  .array(message, { maxLength: 6 })
  .map((messages) => ({ step: 1, messages, tokens: 9, overheadTokens: 0, exact: true, prefixes: [], decisions: [] }))

const compare = (a: ComparableRequest, b: ComparableRequest) =>
  compareRequests({ turn: "a", request: a }, { turn: "b", request: b }, undefined)
const textOf = (given: RecordedMessage | undefined) => given?.spans.map((span) => span.text).join("")
const size = { numRuns: runs(300), seed: seedOf(20) }

describe("two lists", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 })

  test("are aligned: the ranges are both lists, what is the same is equal, and no longer common list exists", () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const { runs, isWhole } = align(a, b)
        expect(runs.flatMap(({ a: range }) => a.slice(...range))).toEqual(a)
        expect(runs.flatMap(({ b: range }) => b.slice(...range))).toEqual(b)
        const same = runs.filter(({ isSame }) => isSame)
        for (const { a: own, b: other } of same) expect(a.slice(...own)).toEqual(b.slice(...other))
        expect(same.reduce((sum, { a: [from, to] }) => sum + to - from, 0)).toBe(longestCommon(a, b))
        expect(isWhole).toBe(true)
      }),
      size,
    )
  })

  test("that differ in more than can be searched are told, and still are both lists", () => {
    const [a, b] = ["a", "b"].map((name) => ["head", ...Array.from({ length: 1_500 }, (_, at) => `${name}${at}`), "tail"])
    const { runs, isWhole } = align(a ?? [], b ?? [])
    expect(isWhole).toBe(false)
    expect(runs.map(({ isSame, a }) => [isSame, ...a])).toEqual([
      [true, 0, 1],
      [false, 1, 1_501],
      [true, 1_501, 1_502],
    ])
  })
})

/** The length of a longest common list, by the table of all beginnings. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0)
  for (const own of a) {
    const next: number[] = []
    for (const [at, other] of b.entries())
      next.push(own === other ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

const mirrorOf = { same: "same", changed: "changed", added: "removed", removed: "added" } as const

describe("two requests", () => {
  test("show the whole of both sides, and as the same only what is equal", () => {
    fc.assert(
      fc.property(request, request, (left, right) => {
        const { a, b, messages } = compare(left, right)
        expect(messages.flatMap((pair) => pair.a ?? [])).toEqual(a.map((_, at) => at))
        expect(messages.flatMap((pair) => pair.b ?? [])).toEqual(b.map((_, at) => at))
        for (const { a: own, b: other, runs } of messages) {
          const [textA = "", textB = ""] = [textOf(a[own ?? -1]), textOf(b[other ?? -1])]
          expect(runs.map(({ a: range }) => textA.slice(...range)).join("")).toBe(textA)
          expect(runs.map(({ b: range }) => textB.slice(...range)).join("")).toBe(textB)
          for (const { kind, a: from, b: to } of runs) {
            expect(textA.slice(...from) === textB.slice(...to)).toBe(kind === "same")
            expect([from[1] > from[0], to[1] > to[0]]).toEqual([kind !== "added", kind !== "removed"])
          }
        }
      }),
      size,
    )
  })

  test("that are the same one differ in nothing", () => {
    fc.assert(
      fc.property(request, (given) => {
        const { messages, layers, change, changedPrefix } = compare(given, structuredClone(given))
        expect(messages.flatMap(({ runs }) => runs).filter(({ kind }) => kind !== "same")).toEqual([])
        expect(layers.filter(({ a, b }) => a !== b)).toEqual([])
        expect(change).toMatchObject({ outcome: "none", lostTokens: 0 })
        expect(changedPrefix).toBeUndefined()
      }),
      size,
    )
  })

  test("that change places swap the signs", () => {
    const kinds = { none: "none", extended: "shortened", shortened: "extended", changed: "changed" } as const
    fc.assert(
      fc.property(request, request, (left, right) => {
        const [there, back] = [compare(left, right), compare(right, left)]
        const signs = (of: typeof there) => new Map(of.layers.map(({ key, a, b }) => [key, b - a]))
        for (const [key, difference] of signs(there)) expect((signs(back).get(key) ?? 0) + difference).toBe(0)
        expect(signs(back).size).toBe(signs(there).size)
        // Two equal beginnings of which both end are either.
        expect([kinds[there.change.outcome], there.change.outcome]).toContain(back.change.outcome)
        expect(back.change.message).toBe(there.change.message)
        const shown = ({ messages }: typeof there, isBack: boolean) =>
          messages.map(({ a, b, runs }) => {
            const sides = runs.map(({ kind, ...own }) => {
              const run = isBack ? { a: own.b, b: own.a } : own
              const name = isBack ? mirrorOf[kind] : kind
              return [name, name === "added" ? [] : run.a, name === "removed" ? [] : run.b]
            })
            // A line that came and one that went in one place are told in either order.
            return JSON.stringify([isBack ? [b, a] : [a, b], sides.map((side) => JSON.stringify(side)).sort()])
          })
        expect(shown(back, true).sort()).toEqual(shown(there, false).sort())
      }),
      size,
    )
  })

  test("name the first stable beginning that changed", () => {
    const parts = (mood: string): ComparableRequest => ({
      ...{ step: 1, tokens: 9, overheadTokens: 0, exact: true, decisions: [] },
      messages: [
        {
          role: "system",
          spans: ["You are Fay.\n", mood, "Now"].map((words, at) => ({
            ...{ text: words, key: ["persona", "mood", ""][at] ?? "", part: "content", trust: "author", tokens: 3 },
            stability: at === 0 ? "global" : at === 1 ? "session" : "turn",
          })),
        },
      ],
      prefixes: [
        { stability: "global", message: 0, spans: 1, tokens: 3 },
        { stability: "session", message: 0, spans: 2, tokens: 6 },
        { stability: "turn", message: 0, spans: 3, tokens: 9 },
      ],
    })
    const { changedPrefix, change, layers } = compare(parts("calm\n"), parts("angry\n"))
    expect(changedPrefix).toEqual({ stability: "session", message: 0, spans: 2, tokens: 6 })
    expect(change).toMatchObject({ outcome: "changed", cause: { key: "mood" }, brokeStable: true, sharedTokens: 3 })
    expect(layers.map(({ key }) => key)).toEqual(["persona", "mood", ""])
  })
})

describe("two texts", () => {
  const kinds = (a: string, b: string) =>
    diffTexts(a, b).runs.map(({ kind, a: from, b: to }) => [kind, a.slice(...from), b.slice(...to)])

  test("have lines that changed, went and came; those that are alike changed", () => {
    expect(kinds("a\nthe time is 3\nb\nd", "a\nnew\nthe time is 4\nd")).toEqual([
      ["same", "a\n", "a\n"],
      ["added", "", "new\n"],
      ["changed", "the time is 3\n", "the time is 4\n"],
      ["removed", "b\n", ""],
      ["same", "d", "d"],
    ])
    expect(kinds("a\nb\n", "a\n")).toEqual([
      ["same", "a\n", "a\n"],
      ["removed", "b\n", ""],
    ])
    expect(kinds("", "new")).toEqual([["added", "", "new"]])
  })

  test("of a million characters are compared, and one changed line is found", () => {
    const words = "word ".repeat(20)
    const [a, b] = ["the old one", "the new one"].map(
      (name) => `${`${words}\n`.repeat(5_000)}${name}\n${`${words}\n`.repeat(5_000)}`,
    )
    expect(diffTexts(a ?? "", b ?? "")).toMatchObject({ isCoarse: false, runs: [{}, { kind: "changed" }, {}] })
  })
})
