import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readImportance } from "../../../../src/memory/services/background/importance-step.ts"

const read: readonly (readonly [string, number | undefined])[] = [
  ["7", 7],
  [" 7.5\n", 7.5],
  ["7/10", 7],
  ["7 / 10", 7],
  ["35/50", 7],
  ["70%", 7],
  ["７０％", 7],
  ["Importance: 70 %", 7],
  ["70 percent", 7],
  ["百分之70", 7],
  ["10分之7", 7],
  ["70 out of 100", 7],
  ["Importance: 4 out of 5", 8],
  ["On a scale of 0 to 100: 70", 7],
  ["满分100，我打70分", 7],
  ['{"importance": "70%"}', 7],
  ['{"importance": 70%}', 7],
  ['{"importance": "70 out of 100"}', 7],
  ["重要性：7", 7],
  ["重要性评分：８", 8],
  ["７", 7],
  ["７／１０", 7],
  ["评分为 6 分", 6],
  ["七分", 7],
  ["十", 10],
  ["Importance: 8 out of 10", 8],
  ["On a scale from 0 to 10: 4", 4],
  ["From 0 to 10 I give 3.", 3],
  ["The score is 6 because he told me 2 names.", 6],
  ["满分10分，我打8分", 8],
  ['{"importance": 7}', 7],
  ['{"importance": "7/10"}', 7],
  ["{'score': 3,}", 3],
  ['```json\n{"重要性": 9, "理由": "生日"}\n```', 9],
  ["<think>maybe 9, no, 2</think>4", 4],
  ["**6**", 6],
  ["In 3 words, importance: 7", 7],
  ["-3", 0],
  ["11", 10],
  ["1e9", 1],
  ["", undefined],
  ["I cannot say.", undefined],
  ["{}", undefined],
  ["不好说", undefined],
  ["−3", 0],
  ["满分10分，七分", 7],
  ["一共有十二个人都说这是七分", undefined],
  ["In 2 words: importance on a scale of 0 to 10: 7", 7],
  ["6 5 4", 6],
  ["For 2 reasons the importance from 0 to 10 is 6.", 6],
  // Where JSON says more than its numbers in order: names and texts have numbers, too.
  ['{"9 lives": 7}', 7],
  ['[{"seat 3": 7}, {"seat 4": 9}]', 7],
  ["[[], 6]", 6],
  ["[6]", 6],
  // Numbers of several things: none of them is that of all.
  ["[1, 2, 3]", undefined],
  ["```json\n[7, 8]\n```", undefined],
  ['{"seat 3": "8/10"}', 8],
  ['{"seat 3": {"of 4": [5, 6]}}', 5],
  ['{"seen 2 times": true, " Importance ": 8}', 8],
  ['{"in 2 words": "yes", "重要度 ": "９分"}', 9],
  ['{"first 4": 5, "second": 6}', 4],
  ['{"first 4": 5, "": 6}', 4],
  ['{"seat 3": null}', 3],
  ['{"seat 3": [null]}', 3],
  ['{"seat three": null}', undefined],
]

describe("readImportance", () => {
  test.each(read)("T32 reads %j as %j", (output, expected) => {
    expect(readImportance(output)).toBe(expected)
  })

  const ways: readonly ((n: number) => string)[] = [
    (n) => `${n}`,
    (n) => `${n}/10`,
    (n) => `${n}0%`,
    (n) => `${n} out of 10`,
    (n) => `10分之${n}`,
    (n) => `重要性：${n}`,
    (n) => `Importance: ${n}`,
    (n) => `{"importance": ${n}}`,
    (n) => `\`\`\`json\n{"importance": "${n}"}\n\`\`\``,
    (n) => String(n).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
    (n) => `<think>0 or 10?</think>\n${n}。`,
  ]

  test("T32 reads every number in every way it may be written", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.constantFrom(...ways), (importance, write) => {
        expect(readImportance(write(importance))).toBe(importance)
      }),
    )
  })

  test("T32 whatever a model says, there is a number from 0 to 10 or none, in time that grows with its length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (output) => {
        const importance = readImportance(output)
        if (importance !== undefined) expect(importance >= 0 && importance <= 10).toBe(true)
      }),
    )
    for (const unit of ["{", "[", "7/", "重要性", '{"a":', "-1", "on a scale "]) readImportance(unit.repeat(50_000))
  })
})
