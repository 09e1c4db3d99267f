import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compress } from "../../../../src/memory/forgetting/reference/compress.ts"
import type { ReferenceInfo } from "../../../../src/memory/forgetting/reference/reference-info.ts"
import { formatReferenceSource } from "../../../../src/memory/forgetting/reference/reference-source.ts"

const lines = ["bread rises slowly", "cats sleep", "bread bakes an hour", "rain fell", "the bread was good", "dogs bark"]
const reference: ReferenceInfo = { source: [{ kind: "load", path: "diary.txt" }], current: lines.join("\n"), extraData: "mine" }
const linesOf = async (options: Parameters<typeof compress>[1]) => (await compress(reference, options)).current.split("\n")

describe("compressing reference info (R23)", () => {
  test.each([
    ["best-match", ["bread rises slowly", "bread bakes an hour"]],
    ["newest", ["the bread was good", "dogs bark"]],
    ["oldest", ["bread rises slowly", "cats sleep"]],
    ["worst-match", ["cats sleep", "rain fell"]],
  ] as const)("R23: by %s keeps those parts, in their order", async (criterion, kept) => {
    expect(await linesOf({ criterion, topic: "bread", count: 2 })).toEqual(kept)
  })

  test("R23: by use, where uses are known", async () => {
    const units = lines.map((text, uses) => ({ text, uses: (uses * 5) % 6 }))
    expect(await linesOf({ criterion: "most-used", count: 1, units })).toEqual([lines[1]])
    expect(await linesOf({ criterion: "least-used", count: 1, units })).toEqual([lines[0]])
  })

  test("R23: one part alone is kept by any criterion", async () => {
    for (const criterion of ["newest", "oldest", "best-match", "most-used"] as const)
      expect(await linesOf({ criterion, topic: "cats", count: 1, range: [2, 2] })).toEqual(["cats sleep"])
  })

  test("R23: by weights of one's own, a range and a level", async () => {
    expect(await linesOf({ weights: [1, 1, 0], topic: "bread", count: 1 })).toEqual(["the bread was good"])
    expect(await linesOf({ criterion: "newest", count: 1, range: [1, 3] })).toEqual(["bread bakes an hour"])
    const sizes = await Promise.all(
      (["weak", "medium", "extreme"] as const).map(async (level) => (await linesOf({ level })).length),
    )
    expect(sizes).toEqual([4, 2, 1])
  })

  test("R23: the sources say what was done, and the model's own words stay", async () => {
    const after = await compress(reference, { level: "weak", topic: "bread", range: [2, 5], count: 30, path: "diary" })
    expect(after.source.map(formatReferenceSource)).toEqual([
      "load diary.txt",
      "compress weak about 'bread' 最符合 4 - diary.session message 2 - 5",
    ])
    expect(after.extraData).toBe("mine")
  })

  test("R23: all parts stay as they were, and a text of one line has its sentences as parts", async () => {
    expect((await compress(reference, { count: 6 })).current).toBe(reference.current)
    const sentences = { ...reference, current: "Bread rises. Cats sleep. Dogs bark." }
    expect((await compress(sentences, { criterion: "newest", count: 1 })).current.trim()).toBe("Dogs bark.")
  })

  test.each<[string, Parameters<typeof compress>[1], number, number, string]>([
    ["no range", {}, 1, 6, "the bread was good\ndogs bark"],
    ["a range from nothing", { range: [0, 3] }, 1, 3, "bread bakes an hour"],
    ["a range from no number", { range: [Number.NaN, 3] }, 1, 3, "bread bakes an hour"],
    ["a range to nothing", { range: [2, 0] }, 2, 6, "the bread was good\ndogs bark"],
    ["a range to no number", { range: [2, Number.NaN] }, 2, 6, "the bread was good\ndogs bark"],
    ["a range that ends first", { range: [5, 2] }, 5, 5, "the bread was good"],
    ["a range behind the end", { range: [9, 12] }, 6, 6, "dogs bark"],
    ["parts of lines", { range: [2.9, 4.9] }, 2, 4, "rain fell"],
    ["a count of nothing", { count: 0 }, 1, 6, "dogs bark"],
    ["a count below nothing", { count: -2 }, 1, 6, "dogs bark"],
    ["a part of a count", { count: 2.9 }, 1, 6, "the bread was good\ndogs bark"],
    ["more than there are", { count: 99, range: [1, 2] }, 1, 2, "bread rises slowly\ncats sleep"],
  ])("R23: %s", async (_, options, from, to, current) => {
    const after = await compress(reference, options)
    expect([after.source.at(-1), after.current]).toEqual([expect.objectContaining({ from, to }), current])
  })

  test("R23: of nothing nothing is left, and the source says so", async () => {
    const after = await compress({ source: [], current: "", extraData: "" })
    const made = {
      kind: "compressed",
      level: "medium",
      topic: "",
      criterion: "newest",
      count: 0,
      path: "current",
      from: 1,
      to: 1,
    }
    expect(after).toEqual({ source: [made], current: "", extraData: "" })
  })

  test("R23: a level leaves its share of the parts, rounded up, and so many characters of each", async () => {
    const long = { ...reference, current: Array.from({ length: 11 }, (_, at) => `${at}${"x".repeat(500)}`).join("\n") }
    const left = async (level: "weak" | "medium" | "extreme") =>
      (await compress(long, { level })).current.split("\n").map((line) => line.length)
    expect([await left("weak"), await left("medium"), await left("extreme")]).toEqual([
      Array(7).fill(400),
      Array(4).fill(200),
      [80, 80],
    ])
  })

  test("a writer says what is left in its own words, blank ones leave the rule's", async () => {
    const asked: unknown[] = []
    const options = { criterion: "newest", count: 2, level: "extreme" } as const
    const writer = async (...args: unknown[]) => {
      asked.push(args)
      return "dogs, bread"
    }
    expect((await compress(reference, { ...options, writer })).current).toBe("dogs, bread")
    expect(asked).toEqual([["the bread was good\ndogs bark", { level: "extreme", topic: "", maxCharacters: 160 }]])
    expect((await compress(reference, { ...options, writer: async () => " " })).current).toBe("the bread was good\ndogs bark")
  })

  test.each([
    ["weak", 1, 400],
    ["medium", 1, 200],
    ["extreme", 1, 80],
    ["extreme", 2, 160],
    ["extreme", 6, 480],
  ] as const)(
    "a writer of level %s that gets %d parts may use %d characters, and no more of them are kept",
    async (level, count, most) => {
      const bounds: number[] = []
      const writer = async (_text: string, { maxCharacters }: { readonly maxCharacters: number }) => {
        bounds.push(maxCharacters)
        return "w".repeat(9_999)
      }
      const { current } = await compress(reference, { level, count, writer })
      expect([bounds, current.length]).toEqual([[most], most])
    },
  )

  test("a writer is not asked for nothing", async () => {
    const writer = () => Promise.reject(new Error("asked"))
    expect((await compress({ ...reference, current: " " }, { writer })).current).toBe("")
  })

  test("never grows, and any numbers are brought into bounds", async () => {
    const number = fc.oneof(fc.integer(), fc.double())
    const options = fc.record({
      level: fc.constantFrom("weak" as const, "medium" as const, "extreme" as const),
      count: number,
      range: fc.tuple(number, number),
      topic: fc.string(),
    })
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), options, async (current, given) => {
        const after = await compress({ ...reference, current }, given)
        expect(after.current.length).toBeLessThanOrEqual(current.length)
      }),
    )
  })
})
