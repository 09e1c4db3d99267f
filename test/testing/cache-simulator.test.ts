import fc from "fast-check"
import { get_encoding } from "tiktoken"
import { describe, expect, test } from "vitest"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/index.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Assembly } from "../../src/core/span.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { textTokens } from "../../src/testing/cache-simulator/request-tokens.ts"
import { type CacheOptions, type CacheRequest, printCacheReport, simulateCache } from "../../src/testing/index.ts"
import { anyItems, anyTurn, stackOf, turnPrompts } from "../prompt/assemble/arbitrary-turn.ts"
import { anyText } from "../prompt/encode/arbitrary-text.ts"
import { isLong, runs } from "../support/size.ts"
import { type MessageSketch, sketch } from "../trace/assemblies.ts"

/** Counts one token and one piece for each UTF-16 unit, and an overhead of ten for each message. */
const perUnit: TokenCounter = {
  exact: true,
  count: (text) => text.length,
  pieces: (text) => Uint32Array.from(text, (_, at) => at),
  overhead: (messages) => 10 * messages.length,
}

const system: MessageSketch = ["system", [["persona", "global", "p".repeat(100)]]]
const user = (text: string): MessageSketch => ["user", [["question", "turn", text]]]
const spoken = (text: string): MessageSketch => ["user", [["history", "conversation", text]]]
const answered = (text: string): MessageSketch => ["assistant", [["history", "conversation", text]]]

function request(...messages: readonly MessageSketch[]): Assembly {
  return { ...sketch(...messages), overheadTokens: 10 * messages.length }
}

/** A request with marks at the ends of its stable part and of its history. */
function marked(assembly: Assembly, ...places: readonly (readonly [message: number, end: number])[]): Assembly {
  const prefixes = places.map(([message, end]) => ({ stability: "session" as const, message, end, tokens: 1, fingerprint: "" }))
  return { ...assembly, prefixes }
}

function cached(requests: readonly (Assembly | CacheRequest)[], options: Partial<CacheOptions> = {}): number[] {
  const report = simulateCache(requests, { counter: perUnit, minTokens: 50, blockTokens: 10, ...options })
  return report.rows.map(({ cachedTokens }) => cachedTokens)
}

describe("an automatic cache", () => {
  test("serves whole blocks of the longest beginning that any earlier request had, from the least number on", () => {
    const a = request(system, user("aaaaa"))
    const b = request(system, user("aaabb"))
    expect(cached([a, b, a, request(user("aaaaa"))])).toEqual([0, 110, 120, 0])
    expect(cached([a, b], { blockTokens: 1 })).toEqual([0, 113])
    expect(cached([a, b], { blockTokens: 1, minTokens: 114 })).toEqual([0, 0])
    expect(cached([a, b], { blockTokens: 1, minTokens: 113 })).toEqual([0, 113])
  })

  test("goes back to a request before the last one", () => {
    const a = request(system, user("first"))
    expect(cached([a, request(user("x".repeat(200))), request(system, user("firsts"))], { blockTokens: 1 })).toEqual([0, 0, 115])
  })

  test("what stands around a message counts once the whole message is shared", () => {
    const a = request(system, user("aaaaa"))
    expect(cached([a, a], { blockTokens: 1 })).toEqual([0, 125])
    expect(cached([a, request(system, user("aaaaa"), answered("b"))], { blockTokens: 1 })).toEqual([0, 125])
    expect(cached([a, request(system, user("aaaaab"))], { blockTokens: 1 })).toEqual([0, 115])
  })

  test("another role, another call answered and other calls made are other messages", () => {
    const tool = (toolCallId: string): MessageSketch => ["tool", [["steps", "turn", "aaaaa"]], { toolCallId }]
    expect(cached([request(system, user("aaaaa")), request(system, answered("aaaaa"))], { blockTokens: 1 })).toEqual([0, 110])
    expect(cached([request(system, tool("1")), request(system, tool("2"))], { blockTokens: 1 })).toEqual([0, 110])
    const calls = (args: string): MessageSketch => [
      "assistant",
      [["steps", "turn", "a"]],
      { toolCalls: [{ id: "1", name: "t", args }] },
    ]
    expect(
      cached([request(system, calls("{}"), user("?")), request(system, calls("[]"), user("?"))], { blockTokens: 1 }),
    ).toEqual([0, 111])
  })

  test("native tools stand before all messages: with others nothing is served", () => {
    const withTools = (tokens: number) => ({ ...request(system, user("a")), overheadTokens: 20 + tokens })
    expect(cached([withTools(30), withTools(30), withTools(31)], { blockTokens: 1 })).toEqual([0, 151, 0])
  })

  test("forgets what was not used for longer than its time to live", () => {
    const assembly = request(system, user("a"))
    const at = (atMs: number): CacheRequest => ({ assembly, atMs })
    expect(cached([at(0), at(100), at(200), at(301)], { ttlMs: 100 })).toEqual([0, 120, 120, 0])
    const rows = simulateCache([at(0), at(101)], { counter: perUnit, minTokens: 50, ttlMs: 100 }).rows
    expect(rows.map(({ rest }) => rest)).toEqual(["first", "expired"])
    const other: CacheRequest = { assembly: request(system, user("b")), atMs: 90 }
    const rules = { counter: perUnit, minTokens: 50, blockTokens: 10, ttlMs: 100 }
    const mixed = simulateCache([at(0), other, { ...other, atMs: 150 }], rules).rows
    expect(mixed.map(({ rest }) => rest)).toEqual(["first", "changed", "new"])
  })

  test("serves what a naive cache of whole token lists serves, for any conversation", () => {
    const requests = fc.tuple(
      fc.constantFrom(...turnPrompts),
      fc.array(fc.tuple(anyItems, anyTurn), { minLength: 1, maxLength: 5 }),
    )
    let served = 0
    fc.assert(
      fc.property(requests, fc.constantFrom(1, 7, 64), ([where, turns], blockTokens) => {
        const given = turns.map(([items, turn]) => assemble(stackOf(items), { ...where, turn, counter: perUnit }))
        const expected = given.map((assembly, index) => naive(given.slice(0, index), assembly, blockTokens))
        expect(cached(given, { blockTokens, minTokens: 20 })).toEqual(expected)
        served += expected.reduce((sum, tokens) => sum + tokens, 0)
      }),
      { numRuns: runs(300) },
    )
    expect(served).toBeGreaterThan(isLong ? 3_000 : 0)
  })
})

/** The longest common beginning with any earlier request, compared unit by unit. */
function naive(earlier: readonly Assembly[], assembly: Assembly, blockTokens: number): number {
  const mine = atoms(assembly)
  const shared = earlier.map((other) => {
    const theirs = atoms(other)
    const first = mine.findIndex(([atom], at) => atom !== theirs[at]?.[0])
    return mine.slice(0, first === -1 ? mine.length : first).reduce((sum, [, tokens]) => sum + tokens, 0)
  })
  const blocks = Math.floor(Math.max(0, ...shared) / blockTokens) * blockTokens
  return blocks < 20 ? 0 : blocks
}

function atoms({ messages }: Assembly): [string, number][] {
  return messages.flatMap(({ role, content, toolCalls = [], toolCallId }): [string, number][] => [
    [`<${role} ${toolCallId}>`, 0],
    ...[...content].map((character): [string, number] => [character, character.length]),
    [`</${JSON.stringify(toolCalls)}>`, 10],
  ])
}

describe("an explicit cache", () => {
  const explicit = { breakpoints: "explicit" } as const
  const turn = (history: readonly MessageSketch[], text: string) =>
    marked(request(system, ...history, user(text)), [0, 100], [history.length, history.at(-1)?.[1][0]?.[2].length ?? 100])
  const history = [spoken("aaaa"), answered("bbbb"), spoken("cccc"), answered("dddd")]

  test("serves what ends at a mark, and finds the last turn's mark some messages before its own", () => {
    const requests = [turn([], "aaaa"), turn(history.slice(0, 2), "cccc"), turn(history, "eeee")]
    const rows = simulateCache(requests, { counter: perUnit, minTokens: 50, ...explicit }).rows
    expect(rows.map(({ cachedTokens }) => cachedTokens)).toEqual([0, 110, 138])
    expect(rows.map(({ writtenTokens }) => writtenTokens)).toEqual([110, 28, 28])
  })

  test("serves nothing that no mark ended, and nothing shorter than the least number", () => {
    const plain = request(system, user("aaaa"))
    expect(cached([plain, plain], explicit)).toEqual([0, 0])
    expect(cached([marked(plain, [0, 100]), marked(plain, [0, 100])], { ...explicit, minTokens: 111 })).toEqual([0, 0])
    expect(cached([marked(plain, [0, 60]), marked(plain, [0, 60])], explicit)).toEqual([0, 60])
  })

  test("takes four marks at most, and looks twenty messages back at most", () => {
    const five = marked(
      request(...Array.from("abcde", (letter) => spoken(letter.repeat(60)))),
      ...[0, 1, 2, 3, 4].map((at) => [at, 60] as const),
    )
    expect(cached([five, five], explicit)).toEqual([0, 280])
    const long = (count: number) => {
      const lines = Array.from({ length: count }, (_, at) => spoken(`${at}`.padEnd(60)))
      return marked(request(...lines), [count - 1, 60])
    }
    expect(cached([long(2), long(22)], explicit)).toEqual([0, 140])
    expect(cached([long(2), long(23)], explicit)).toEqual([0, 0])
  })

  test("a mark inside a message serves the pieces before it, and nothing once a character before it differs", () => {
    const parts = (first: string) =>
      marked(
        request([
          "system",
          [
            ["a", "global", first],
            ["b", "turn", "z"],
          ],
        ]),
        [0, 80],
      )
    const other = marked(
      request([
        "system",
        [
          ["a", "global", "a".repeat(80)],
          ["b", "turn", "y"],
        ],
      ]),
      [0, 80],
    )
    expect(cached([parts("a".repeat(80)), other, parts(`b${"a".repeat(79)}`)], explicit)).toEqual([0, 80, 0])
  })

  test("forgets after its time to live; reading and writing anew both keep it", () => {
    const assembly = turn([], "a")
    const at = (atMs: number): CacheRequest => ({ assembly, atMs })
    expect(cached([at(0), at(300), at(600), at(901)], { ...explicit, ttlMs: 300 })).toEqual([0, 110, 110, 0])
    const lines = (count: number, atMs: number): CacheRequest => ({
      assembly: marked(request(...Array.from({ length: count }, (_, at) => spoken(`${at}`.padEnd(60)))), [count - 1, 60]),
      atMs,
    })
    // The second request reads up to the mark of the first one. Its own mark is at another place.
    expect(cached([lines(2, 0), lines(5, 200), lines(2, 400)], { ...explicit, ttlMs: 300 })).toEqual([0, 140, 140])
  })

  test.each<[string, object, number]>([
    ["a place in the text", {}, 60],
    ["no tokens", { tokens: 0 }, 0],
    ["one token", { tokens: 1 }, 60],
    ["the beginning", { end: 0 }, 0],
    ["the first character", { end: 1 }, 1],
    ["a message that is not there", { message: 2 }, 0],
    ["the end of the last message", { message: 1, end: 1 }, 121],
    ["behind the end of a message", { end: 200 }, 110],
  ])("serves up to a mark at %s", (_, mark, tokens) => {
    const plain = request(system, user("a"))
    const at = { stability: "session", message: 0, end: 60, tokens: 1, fingerprint: "", ...mark } as const
    for (const prefixes of [[at], [at, at], [{ ...at, tokens: 0 }, at]])
      expect(cached(Array(2).fill({ ...plain, prefixes }), { ...explicit, minTokens: 1 })).toEqual([0, tokens])
  })

  test("costs reading, writing and the rest at their prices", () => {
    const report = simulateCache([turn([], "aaaa"), turn(history.slice(0, 2), "cccc")], {
      counter: perUnit,
      minTokens: 50,
      prices: { input: 1_000_000, cacheRead: 100_000, cacheWrite: 1_250_000 },
      ...explicit,
    })
    expect(report.rows.map(({ cost }) => cost)).toEqual([110 * 1.25 + 14, 110 * 0.1 + 28 * 1.25 + 14])
    expect(report.costUncached).toBe(124 + 152)
  })
})

describe("what is possible", () => {
  const asks = (memory: string, question: string): MessageSketch => [
    "user",
    [
      ["memories", "turn", memory],
      ["question", "turn", question],
    ],
  ]
  const first = request(system, asks("m1", "aaaa"))
  const second = request(system, spoken("aaaa"), answered("bbbb"), asks("m2", "cccc"))
  const possible = (...requests: readonly Assembly[]) => {
    const report = simulateCache(requests, { counter: perUnit, minTokens: 1, blockTokens: 1 })
    expect(report.rows.map(({ cachedTokens }) => cachedTokens)).toEqual(expect.arrayContaining([0]))
    return report.rows.map(({ possibleTokens }) => possibleTokens)
  }

  test("is what is stable, history, and what the last turn asked, though its memories stood before the question", () => {
    expect(possible(first, second)).toEqual([0, 110 + 14])
  })

  test("is what is stable alone where history was shortened", () => {
    expect(possible(first, second, request(system, spoken("cccc"), answered("dddd"), asks("m3", "eeee")))[2]).toBe(110)
  })

  test("is the whole request before it for a later step of a turn, in whatever order a dialect puts it", () => {
    const turn: MessageSketch = [
      "user",
      [
        ["question", "turn", "aaaa"],
        ["runs", "turn", "(none)"],
        ["persona", "global", "p"],
      ],
    ]
    const later: MessageSketch = [
      "user",
      [
        ["question", "turn", "aaaa"],
        ["runs", "turn", "sunny"],
        ["persona", "global", "p"],
      ],
    ]
    expect(possible(request(turn), request(later))).toEqual([0, 4 + 1 + 10])
  })

  test("is nothing that another layer claims: a changed persona takes all behind it along", () => {
    expect(possible(first, request(["system", [["persona", "global", "q".repeat(100)]]], asks("m1", "aaaa")))).toEqual([0, 0])
  })
})

describe("tokens that two texts begin with in common", async () => {
  const counter = await tiktokenCounter({ encoding: "o200k_base" })
  const oracle = get_encoding("o200k_base")
  const texts = textTokens(counter)
  const commonTokens = (a: string, b: string) => {
    const [left, right] = [oracle.encode_ordinary(a), oracle.encode_ordinary(b)]
    const first = left.findIndex((token, at) => token !== right[at])
    return first === -1 ? left.length : first
  }

  test("are not those of the common characters: a token goes across the place where they part", () => {
    expect(counter.count("I like")).toBe(2)
    expect(texts.shared("I like", "I likewise")).toBe(commonTokens("I like", "I likewise"))
    expect(texts.shared("I like", "I likewise")).toBe(1)
    expect(texts.shared("one  two", "one   two")).toBe(commonTokens("one  two", "one   two"))
  })

  test("are never more than the tokenizer's own, and less by at most the two pieces around the place where they part", () => {
    const tails = fc.oneof(anyText, fc.constantFrom("'s", "  x", "\r\n\n", "123456", "好的", "ing", ""))
    let shared = 0
    fc.assert(
      fc.property(fc.array(tails, { maxLength: 6 }), tails, tails, (beginning, left, right) => {
        const [a, b] = [beginning.join("") + left, beginning.join("") + right].map((text) => text.toWellFormed()) as [
          string,
          string,
        ]
        const [ours, truth] = [texts.shared(a, b), commonTokens(a, b)]
        expect(ours).toBeLessThanOrEqual(truth)
        const starts = [...counter.pieces(a)]
        const next = starts.findIndex((_, piece) => texts.upTo(a, starts[piece + 1] ?? a.length) > ours)
        const around = next === -1 ? "" : a.slice(starts[next], starts[next + 2] ?? a.length)
        expect(truth - ours).toBeLessThanOrEqual(counter.count(around))
        shared += ours
      }),
      { numRuns: runs(3000) },
    )
    expect(shared).toBeGreaterThan(runs(3000))
  })

  test("a counter that cannot cut into pieces is not called exact", () => {
    const { count } = counter
    expect(simulateCache([request(system)], { counter: { exact: true, count } }).exact).toBe(false)
    expect(simulateCache([request(system)], { counter }).exact).toBe(true)
    expect(textTokens({ exact: true, count }).shared("I like", "I likewise")).toBe(2)
  })
})

describe("a report", () => {
  test("says for each request why the rest was not served, in a table of 100 columns", async () => {
    const conversation = [
      request(system, user("[context] aaaa")),
      request(system, spoken("aaaa"), answered("bbbb"), user("cccc")),
      request(system, spoken("aaaa"), answered("bbbb"), user("cccc"), answered("{}"), user("done")),
      request(["system", [["persona", "global", "P".repeat(100)]]], user("dddd")),
    ]
    const report = simulateCache(conversation, {
      counter: perUnit,
      minTokens: 50,
      blockTokens: 10,
      prices: { input: 2, cacheRead: 0.2 },
    })
    expect(report.rows.map(({ rest }) => rest)).toEqual(["first", "changed", "new", "changed"])
    expect(report.rows[3]?.difference).toMatchObject({ brokeStable: true, span: { key: "persona" } })
    const table = printCacheReport(report)
    await expect(`${table}\n`).toMatchFileSnapshot("__snapshots__/cache-report.txt")
    expect(Math.max(...table.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test.each([
    [false, false, ""],
    [true, false, "cost"],
    [false, true, "written"],
    [true, true, "written cost"],
  ])("has columns for costs and writes where there are any: %s, %s", (isPriced, isWritten, columns) => {
    const assembly = request(["user", [["question", "turn", "x".repeat(100)]]])
    const options = { counter: perUnit, minTokens: 1, blockTokens: 1, ...(isPriced && { prices: { input: 1, cacheRead: 1 } }) }
    const report = simulateCache([assembly, assembly], options)
    const rows = report.rows.map((row) => ({ ...row, writtenTokens: isWritten ? 1 : 0 }))
    const [head = ""] = printCacheReport({ ...report, rows }).split("\n")
    expect(
      head
        .split(/\s+/)
        .filter((word) => ["written", "cost"].includes(word))
        .join(" "),
    ).toBe(columns)
  })

  test("an empty conversation has an empty report", () => {
    expect(simulateCache([], { counter: perUnit })).toMatchObject({ rows: [], promptTokens: 0, share: 0 })
  })
})

describe("the defaults of a cache", () => {
  const twice = (units: number, options: Partial<CacheOptions>) => {
    const assembly = request(["user", [["question", "turn", "x".repeat(units)]]])
    const report = simulateCache([assembly, assembly], { counter: perUnit, ...options })
    return report.rows[1]?.cachedTokens
  }

  test.each([
    [1_013, { blockTokens: 1 }, 0],
    [1_014, { blockTokens: 1 }, 1_024],
    [1_015, { blockTokens: 1 }, 1_025],
    [117, { minTokens: 1 }, 0],
    [118, { minTokens: 1 }, 128],
    [119, { minTokens: 1 }, 128],
    [1_014, {}, 1_024],
    [1_141, {}, 1_024],
    [1_142, {}, 1_152],
  ])("of %d units with ten around them, %j, serve %d", (units, options, tokens) => {
    expect(twice(units, options)).toBe(tokens)
  })

  test.each([
    [1_013, 0],
    [1_014, 1_024],
    [1_015, 1_025],
  ])("an explicit cache of %d units is not cut into blocks, and serves %d", (units, tokens) => {
    const assembly = marked(request(["user", [["question", "turn", "x".repeat(units)]]]), [0, units])
    const { rows } = simulateCache([assembly, assembly], { counter: perUnit, breakpoints: "explicit" })
    expect(rows.map(({ cachedTokens, writtenTokens }) => [cachedTokens, writtenTokens])).toEqual([
      [0, tokens],
      [tokens, 0],
    ])
  })

  test("writing costs as much as reading anew, and no entry grows old", () => {
    const assembly = marked(request(system, user("a")), [0, 100])
    const prices = { input: 2_000_000, cacheRead: 1_000_000 }
    const at = [0, Number.MAX_SAFE_INTEGER].map((atMs) => ({ assembly, atMs }))
    const report = simulateCache(at, { counter: perUnit, breakpoints: "explicit", minTokens: 1, prices })
    expect(report.rows.map(({ turn, share, cost, rest }) => [turn, share, cost, rest])).toEqual([
      [1, 0, 242, "first"],
      [2, 110 / 121, 110 + 22, "new"],
    ])
    expect(report).toMatchObject({
      promptTokens: 242,
      cachedTokens: 110,
      possibleTokens: 121,
      cost: 374,
      costUncached: 484,
      share: 110 / 242,
    })
    expect(simulateCache(at, { counter: perUnit })).not.toHaveProperty("cost")
  })

  test("a request may have a turn's number, and none is the number of its place", () => {
    const assembly = request(system)
    const { rows } = simulateCache([{ assembly, turn: 7 }, assembly, { assembly, atMs: 1 }], { counter: perUnit })
    expect(rows.map(({ turn }) => turn)).toEqual([7, 2, 3])
  })

  test.each([
    [99, 99, "99.0 %", "0.0001", "0.0002 without a cache"],
    [3_000_000, 1_000_000, "100.0 %", "3.00", "6.00 without a cache"],
  ])("money below 1 has four places: %d tokens", (units, _, share, cost, uncached) => {
    const assembly = request(["user", [["question", "turn", "x".repeat(units - 10)]]])
    const prices = { input: 1, cacheRead: 0 }
    const report = simulateCache([assembly, assembly], { counter: perUnit, minTokens: 1, blockTokens: 1, prices })
    const lines = printCacheReport(report).split("\n")
    expect(lines[2]).toContain(share === "99.0 %" ? "100.0 %" : share)
    expect(lines.at(-1)).toMatch(new RegExp(`${cost.replace(".", "\\.")} +2 requests, ${uncached.replace(".", "\\.")}$`))
  })
})
