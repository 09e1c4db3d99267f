import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readProfileFields } from "../../../../src/memory/services/background/profile-step.ts"
import { jsonIn } from "../../../../src/memory/services/background/read-json.ts"
import { readInsights } from "../../../../src/memory/services/background/reflection.ts"

describe("readProfileFields", () => {
  test.each([
    ['{"city": "Hangzhou"}', [{ name: "city", value: "Hangzhou" }]],
    ["Here you are:\n```json\n{'city': 'Hangzhou',}\n```\nBye", [{ name: "city", value: "Hangzhou" }]],
    [
      '{"age": 30, "married": true, "likes": ["tea", "cats"]}',
      [
        { name: "age", value: "30" },
        { name: "married", value: "true" },
        { name: "likes", value: "tea, cats" },
      ],
    ],
    [
      '{"work": {"company": "A", "role": "cook"}}',
      [
        { name: "work.company", value: "A" },
        { name: "work.role", value: "cook" },
      ],
    ],
    ['{"city": {"value": "Hangzhou", "confidence": 0.9}}', [{ name: "city", value: "Hangzhou", confidence: 0.9 }]],
    ['{"city": {"value": "Hangzhou", "confidence": 1}}', [{ name: "city", value: "Hangzhou", confidence: 1 }]],
    ['{"city": {"value": "Hangzhou", "confidence": 1.1}}', [{ name: "city", value: "Hangzhou" }]],
    ['[{"field": "city", "value": "Hangzhou"}]', [{ name: "city", value: "Hangzhou" }]],
    ['{"city": "", " ": "x"}', []],
    ['{"city": null, "": null, "job": {"value": null}}', [{ name: "city" }, { name: "job" }]],
    ["{}", []],
    ["[]", []],
    ['<think>{"city": "Paris"}</think>{}', []],
  ])("T32 T34 reads %j", (output, fields) => {
    expect(readProfileFields(output)).toEqual(fields)
  })

  test.each(['{"action":"finish","message":"Hello!"}', '{"action":"tool","tool":"pay","args":{"to":"Bob"}}'])(
    "T32 takes no decision of a turn for facts of the user: %j",
    (output) => expect(readProfileFields(output)).toBeUndefined(),
  )

  test("T32 T34 reads a field that is called action", () => {
    expect(readProfileFields('{"action": "sports", "city": "Oslo"}')).toHaveLength(2)
  })

  test.each(["", "nothing new", "42", "{:"])("T32 cannot read %j, and says so instead of guessing", (output) => {
    expect(readProfileFields(output)).toBeUndefined()
  })

  test("T32 any object of texts comes back as its fields", () => {
    const word = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .map((text) => text.trim())
      .filter((text) => text !== "" && text !== "value")
    fc.assert(
      fc.property(fc.dictionary(word, word, { maxKeys: 6 }), fc.constantFrom("", "OK: ", "```json\n"), (fields, before) => {
        fc.pre(!/[[{<`]/.test(JSON.stringify(Object.entries(fields)).slice(1, -1).replace(/\[|\]/g, "")))
        const read = readProfileFields(`${before}${JSON.stringify(fields)}`)
        expect(read).toEqual(Object.entries(fields).map(([name, value]) => ({ name, value })))
      }),
      { numRuns: 60 },
    )
  })
})

describe("readInsights", () => {
  test.each([
    ['[{"insight": "likes tea", "memories": ["1", "3"]}]', [{ text: "likes tea", numbers: [1, 3] }]],
    ['{"insights": [{"text": "likes tea", "ids": [2]}]}', [{ text: "likes tea", numbers: [2] }]],
    ['[{"insight": "likes tea", "memories": ["编号３", "#4"]}]', [{ text: "likes tea", numbers: [3, 4] }]],
    ['["likes tea", ""]', [{ text: "likes tea", numbers: [] }]],
    ['{"insight": "likes tea", "memories": [1]}', [{ text: "likes tea", numbers: [1] }]],
    ["[]", []],
    ["{}", []],
  ])("T32 reads %j", (output, insights) => {
    expect(readInsights(output)).toEqual(insights)
  })

  test.each(["", "none", "7"])("T32 cannot read %j, and says so", (output) => {
    expect(readInsights(output)).toBeUndefined()
  })

  test("at most five", () => {
    expect(readInsights(JSON.stringify(Array.from({ length: 9 }, (_, at) => `insight ${at}`)))).toHaveLength(5)
  })
})

test("an insight's memories are the numbers that its list has, however they are written", () => {
  const numbers = readInsights('[{"insight":"x","because":["#3", 4, "none", "５"]}]')?.map((insight) => insight.numbers)
  expect(numbers).toEqual([[3, 4, 5]])
})

test("of an object and a list in one answer the kind that is asked for counts, else the first", () => {
  const answers = ['[1] {"a":2}', '{"a":2} [1]']
  expect(answers.map((answer) => jsonIn(answer, "array"))).toEqual([[1], [1]])
  expect(answers.map((answer) => jsonIn(answer, "object"))).toEqual([{ a: 2 }, { a: 2 }])
  expect(answers.map((answer) => jsonIn(answer))).toEqual([[1], { a: 2 }])
})
