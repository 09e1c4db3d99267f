import { describe, expect, test } from "vitest"
import { readKeys } from "../../../../src/memory/services/background/memory-keys.ts"
import { readProfileFields } from "../../../../src/memory/services/background/profile-step.ts"
import { readInsights } from "../../../../src/memory/services/background/reflection.ts"
import { readMerges } from "../../../../src/memory/services/background/tidy-rules.ts"

const json = (value: unknown): string => JSON.stringify(value)

describe("the profile fields of an answer", () => {
  const nested = (depth: number): unknown => (depth === 0 ? "x" : { a: nested(depth - 1) })
  test.each([
    [
      "a name under each of its names",
      [
        { field: "a", value: 1 },
        { name: "b", value: 2 },
        { 字段名: "c", value: 3 },
      ],
      "a=1 b=2 c=3",
    ],
    ["items that are objects of fields", [{ a: 1, b: 2 }, { field: "c" }, { field: 4, value: "d" }], "a=1 b=2 field=4 value=d"],
    ["items that are none", ["a", null, 3, ["b"]], ""],
    ["the last of one name", [{ a: 1 }, { b: 2 }, { a: 3 }], "a=3 b=2"],
    ["names in names, to the fourth", { x: nested(3) }, "x.a.a.a=x"],
    ["names in names, beyond the fourth", { x: nested(4) }, ""],
    ["names with white space around", { " a ": { " b ": " c " } }, "a.b=c"],
    ["the confidence 0", { a: { value: "b", confidence: 0 } }, "a=b(0)"],
    ["the confidence below 0", { a: { value: "b", confidence: -0.1 } }, "a=b"],
    ["a confidence that is a text", { a: { value: "b", confidence: "1" } }, "a=b"],
    ["lists in lists", { a: ["b", ["c", ""], null, 4, false] }, "a=b, c, 4, false"],
    ["a value that is none", { a: { value: { b: 1 } }, c: {} }, ""],
    ["null, which ends a field", { c: null }, "c=undefined"],
  ])("are read: %s", (_, value, expected) => {
    const fields = readProfileFields(json(value)) ?? []
    const told = fields.map(
      ({ name, value: text, confidence }) => `${name}=${text}${confidence === undefined ? "" : `(${confidence})`}`,
    )
    expect(told.join(" ")).toBe(expected)
  })

  test("are at most 24, with names of 60 characters and values of 500", () => {
    const many = readProfileFields(json(Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`f${at}`, at]))))
    expect([many?.length, many?.at(-1)?.name]).toEqual([24, "f23"])
    const [long] = readProfileFields(json({ ["n".repeat(61)]: "v".repeat(501) })) ?? []
    expect([long?.name.length, long?.value?.length]).toEqual([60, 500])
    const [fits] = readProfileFields(json({ ["n".repeat(60)]: "v".repeat(500) })) ?? []
    expect([fits?.name.length, fits?.value?.length]).toEqual([60, 500])
  })
})

describe("the insights of an answer", () => {
  test.each([
    ["an object with a list among other members", { note: "x", tags: ["a"], list: [{ text: "b", of: [1] }] }, [["b", [1]]]],
    ["one insight alone", { text: "b", of: ["1", "#2 and 3"] }, [["b", [1, 2]]]],
    ["texts in place of objects", [" b ", " "], [["b", []]]],
    ["an item without a text", [{ of: [1] }, null, 4, { text: " " }], []],
    ["a number that is no id", [{ text: "b", of: ["none", {}, 1.5] }], [["b", [1.5]]]],
  ])("are read: %s", (_, value, expected) => {
    expect(readInsights(json(value))?.map(({ text, numbers }) => [text, numbers])).toEqual(expected)
  })

  test("are five of 1,000 characters at most", () => {
    const read = readInsights(json(Array.from({ length: 6 }, (_, at) => `${at}${"x".repeat(1_000)}`)))
    expect(read?.map(({ text }) => [text.length, text[0]])).toEqual([0, 1, 2, 3, 4].map((at) => [1_000, String(at)]))
  })
})

describe("the keys of an answer", () => {
  const keysOf = (keys: unknown, text = "words") => readKeys(json({ keys }), [text, "more"], "m")
  test.each<[string, unknown, readonly unknown[]]>([
    ["by line", [{ line: 2, words: ["a"] }], [undefined, { words: ["a"], by: "m" }]],
    ["by id, as a text", [{ id: "#２", words: "a, b；c" }], [undefined, { words: ["a", "b", "c"], by: "m" }]],
    [
      "in their order",
      [["a"], ["b"]],
      [
        { words: ["a"], by: "m" },
        { words: ["b"], by: "m" },
      ],
    ],
    [
      "as members",
      { 1: "a", "line 2": ["b"], none: "c" },
      [
        { words: ["a"], by: "m" },
        { words: ["b"], by: "m" },
      ],
    ],
    ["without what the text holds", [["word", "WORDS", " ", "a", "A"]], [{ words: ["A"], by: "m" }, undefined]],
    ["that are none", [[3, null, ""], 4], [undefined, undefined]],
    ["a fact", [{ subject: "Ann", relation: "home" }], [{ words: [], subject: "Ann", relation: "home", by: "m" }, undefined]],
    ["half a fact", [{ subject: "Ann" }, { relation: "home" }], [{ words: [], by: "m" }, undefined]],
    [
      "days alone",
      [{ dates: ["2026-03-04", "2026-13-04", "soon", "x2026-03-04"] }],
      [{ words: [], dates: ["2026-03-04"], by: "m" }, undefined],
    ],
  ])("are read: %s", (_, keys, expected) => {
    expect(keysOf(keys)).toEqual(expected)
  })

  test("are at most six words of 40 characters, four days, and facts of 60", () => {
    const words = Array.from({ length: 7 }, (_, at) => `a${at}`)
    const dates = Array.from({ length: 5 }, (_, at) => `2026-03-0${at + 1}`)
    expect(keysOf([{ words, dates }])[0]).toEqual({ words: words.slice(0, 6), dates: dates.slice(0, 4), by: "m" })
    expect(keysOf([["x".repeat(41), "y".repeat(40)]])[0]?.words).toEqual(["y".repeat(40)])
    const fact = (length: number) => keysOf([{ words: ["a"], subject: "s".repeat(length), relation: "r".repeat(length) }])[0]
    expect([fact(60)?.subject?.length, fact(60)?.relation?.length]).toEqual([60, 60])
    expect([fact(61)?.subject, fact(61)?.relation]).toEqual([undefined, undefined])
  })

  test("stand under their Chinese name too, and anything else is none", () => {
    expect(readKeys(json({ 关键词: [["a"]] }), ["x"], "m")).toEqual([{ words: ["a"], by: "m" }])
    for (const answer of ["7", "[]", json({ keys: "a" }), ""]) expect(readKeys(answer, ["x"], "m")).toEqual([undefined])
  })
})

describe("the merges of an answer", () => {
  const lines = ["Ann has a cat", "Ann has a dog", "Bob swims"]
  const read = (value: unknown) => readMerges(json(value), lines)
  const good = { lines: [1, 2], text: "Ann has a cat and a dog" }
  test.each([
    ["a list", [good], 1, 0],
    ["an object with a list", { done: true, merges: [good] }, 1, 0],
    ["lines twice, and as texts", [{ lines: ["#1", 2, 1], text: good.text }], 1, 0],
    ["lines that another merge has", [good, good], 1, 1],
    ["no lines", [{ text: good.text }], 0, 1],
    ["no text", [{ lines: [1, 2] }], 0, 1],
    ["a line that does not exist", [{ lines: [1, 2, 9], text: good.text }], 0, 1],
    ["one line", [{ lines: [1], text: "Ann has cat" }], 0, 1],
    ["a lost fact", [{ lines: [1, 2], text: "Ann has a cat" }], 0, 1],
    ["a new word", [{ lines: [1, 2], text: "Ann has a big cat, dog" }], 0, 1],
    ["two lines of text", [{ lines: [1, 2], text: "Ann has a cat\nand dog" }], 0, 1],
    ["another person", [{ lines: [1, 3], text: "Ann has a cat, swims" }], 0, 1],
    ["a text as long as the lines", [{ lines: [1, 2], text: `${lines[0]} ${lines[1]}` }], 0, 1],
    ["no merges", {}, 0, 0],
  ])("are read: %s", (_, value, merged, refused) => {
    const found = read(value)
    expect([found?.merges.length, found?.refused]).toEqual([merged, refused])
    if (merged === 1) expect(found?.merges[0]).toEqual(good)
  })

  test("are none where the answer is no list", () => {
    for (const value of [3, { a: 1 }, "x"]) expect(read(value)).toBeUndefined()
  })
})
