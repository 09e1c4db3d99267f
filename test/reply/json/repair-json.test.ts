import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readingWork } from "../../../src/reply/incoming-text.ts"
import { readLooseObject } from "../../../src/reply/json/repair-json.ts"
import { runs } from "../../support/size.ts"

const read = (text: string) => readLooseObject(text, { from: 0 })
const valueIn = (text: string) => {
  const reading = read(text)
  return "value" in reading ? reading.value : "broken"
}

const readable: readonly (readonly [text: string, value: unknown])[] = [
  ["{'a': 'b'}", { a: "b" }],
  ["{“a”: “b”, ‘c’: ‘it’s’}", { a: "b", c: "it’s" }],
  ["{a: 'it\\'s', b: 'it's'}", { a: "it's", b: "it's" }],
  ["{,a:1,,b:2,}", { a: 1, b: 2 }],
  ['{"a":1 "b":"x" "c":[1 2 "d"]}', { a: 1, b: "x", c: [1, 2, "d"] }],
  ["{'archive':true'notify':false}", { archive: true, notify: false }],
  ["{a: True, b: FALSE, c: None, d: undefined}", { a: true, b: false, c: null, d: null }],
  ["{a: 1_000, b: +5, c: .5, d: -0, e: 1.5e3}", { a: 1000, b: 5, c: 0.5, d: -0, e: 1500 }],
  ["{a: New York, b: 2024-01-05, c: 1/3}", { a: "New York", b: "2024-01-05", c: "1/3" }],
  ["{a: New  York # city\n}", { a: "New  York" }],
  ["{ // one\n a: 1, /* two */ b: 2 # three\n}", { a: 1, b: 2 }],
  ["{ #\n a: 1, b: 2 #\n}", { a: 1, b: 2 }],
  ['{"a":2/*x*/}', { a: 2 }],
  ['{"a":-1.5e3/*, "b": 3 */,"c":true//}\n,"d":None/*:*/}', { a: -1500, c: true, d: null }],
  ['{"a":[1/*one*/,2//two\n,3/*three*/]/*list*/,"b":"x"/*text*/}', { a: [1, 2, 3], b: "x" }],
  ["{{a: {{b: 1}}}}", { a: { b: 1 } }],
  ["｛＂a＂：［1，2］，＂b＂：＂x，y＂｝", { a: [1, 2], b: "x，y" }],
  ['{"a":"say "hi" now"}', { a: 'say "hi" now' }],
  ['{"a":"say "hi""}', { a: 'say "hi"' }],
  ['{"a":"the "old one, please", ok","b":1}', { a: 'the "old one, please", ok', b: 1 }],
  ['{"a":["x "y" z","w"]}', { a: ['x "y" z', "w"] }],
  ['{a:"C:\\Data \\d+"}', { a: "C:\\Data \\d+" }],
  ['{a:[1,2,"b"}', { a: [1, 2, "b"] }],
  ['{a:[{"b":1],"c":2}', { a: [{ b: 1 }], c: 2 }],
  ["{a:{__proto__:1}}", JSON.parse('{"a":{"__proto__":1}}')],
  ["{a: don't}", { a: "don't" }],
  ["{a: New York\rb: 1}", { a: "New York", b: 1 }],
]

const broken: readonly string[] = [
  '{"a":src/**/*.ts}',
  '{"a":x//y\n}',
  '{"a":[1,2,/*and*/.../*so on*/]}',
  '{"a":"x"+"y"}',
  '{"a":"b',
  '{"a":"b}',
  '{"a":"b,"c":"d"}',
  '{"a":"b,"c":"d,"e":"f"}',
  '{"a":"say "hi"}',
  '{"c":{"a":"6" pipe","b":1}}',
  '{"a":"say "hi", "b": ok"}',
  '{"a":["see "x", "y" there"]}',
  '{"a":""word""}',
  '{"a":"C:\\","b":"x"}',
  '{"a":"C:\\","b:"x"}',
  '{"a: "b"}',
  '{c:{a:"b" c}}',
  "{a:}",
  "{a:,b:1}",
  '{"a" "b"}',
  "{a:[1,2,b:3}",
  "{a:{b:1,c:2]}",
  '{"a":["x" "y"}',
  "{a:[{b:{c:1,d:2}]}",
  "{a:x y z: 1}",
  "{a:007, b:NaN}",
  "{c:{a:1 2}}",
  "{c:{{b:1},a:2}}",
  "{a:{b:[1}",
  '{"a":b"":""}',
  "{a:5 :",
]

/** `value` as a careless hand writes it. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => `${written(item)} ,`).join("")}]`
  if (typeof value === "object" && value !== null) {
    return `{ // so\n${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${written(item)},`)}}`
  }
  return value === null ? "None" : JSON.stringify(value)
}

describe("an object that is nearly JSON", () => {
  test.each(readable)("T21: %s is read", (text, value) => {
    expect(valueIn(text)).toStrictEqual(value)
    expect(read(`${text} {`)).toMatchObject({ end: text.length, isUnclosed: false })
  })

  test.each(broken)("T21: %s is not guessed", (text) => {
    expect(valueIn(text)).toBe("broken")
  })

  test.each(["{a:1", "{a:1,", '{a:1 {"b":2}', "{a:1]", "{a:1\nand so on", "{a:1\n```"])(
    "T21: of %s only the last brace is missing, and it says so",
    (text) => {
      expect(read(text)).toMatchObject({ value: { a: 1 }, isUnclosed: true })
    },
  )

  test("a missing last brace may belong further in, where an object in an object ends with it and has several members", () => {
    expect(read("{a:{b:{c:1,d:2}}")).toMatchObject({ openTail: 3 })
    expect(read("{a:{b:{c:1}}")).toMatchObject({ openTail: 0 })
    expect(read("{a:{b:[{c:1,d:2}]}")).toMatchObject({ openTail: 0 })
    expect(read("{a:{b:{c:1,d:2},e:3}")).toMatchObject({ openTail: 2 })
  })

  test("T21: any object, carelessly written, is read as it was meant; as JSON writes it, too", () => {
    const values = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ noUnicodeString: false }))
    fc.assert(
      fc.property(values, (value) => {
        const meant = JSON.parse(JSON.stringify(value))
        expect(valueIn(JSON.stringify(value, null, 1))).toEqual(meant)
        expect(valueIn(written(meant))).toEqual(meant)
      }),
      { numRuns: runs(500) },
    )
  })

  test("T21: any text at all is read or not, without an error, and counted", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "'",
      "a",
      " ",
      "\\",
      "1",
      "//",
      "\n",
      "“",
      "｝",
      "true",
      "/*",
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const before = readingWork.steps
        readLooseObject(`{${parts.join("")}`, { from: 0 })
        expect(readingWork.steps - before).toBeGreaterThan(0)
      }),
      { numRuns: runs(20_000) },
    )
  })
})
