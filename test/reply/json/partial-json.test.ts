import { describe, expect, test } from "vitest"
import { PartialJson } from "../../../src/reply/json/partial-json.ts"
import { createPlainTextReader } from "../../../src/reply/thinking.ts"

/** The value behind each unit that brought something, if a text comes unit by unit. */
function grown(text: string): string[] {
  const partial = new PartialJson()
  const rows: string[] = []
  for (let at = 0; at < text.length; at++) {
    if (partial.push(text.charAt(at))) rows.push(`${at} ${JSON.stringify(partial.value())}`)
  }
  return rows
}

describe("a JSON value that grows", () => {
  test("has each piece as soon as it is read, and nothing is taken back", () => {
    expect(grown('Here: {"a":"xy","b":[1,true,{"c":null}],"d":-2.5e3} and [1]')).toEqual([
      "6 {}",
      '12 {"a":"x"}',
      '13 {"a":"xy"}',
      '14 {"a":"xy"}',
      '20 {"a":"xy","b":[]}',
      '22 {"a":"xy","b":[1]}',
      '27 {"a":"xy","b":[1,true]}',
      '28 {"a":"xy","b":[1,true,{}]}',
      '37 {"a":"xy","b":[1,true,{"c":null}]}',
      '50 {"a":"xy","b":[1,true,{"c":null}],"d":-2500}',
    ])
  })

  test("keeps the first value of a name, empty texts, false, and an own __proto__", () => {
    const partial = new PartialJson()
    partial.push('[{"a":1,"a":2,"e":"","f":false,"__proto__":{"x":1}},"t')
    expect(JSON.stringify(partial.value())).toBe('[{"a":1,"e":"","f":false,"__proto__":{"x":1}},"t"]')
  })

  test("stays as it was where the text is no JSON, and is nothing before its beginning", () => {
    expect(new PartialJson().value()).toBeUndefined()
    expect(grown("no value")).toEqual([])
    expect(grown('{"a":1,?"b":2}')).toEqual(["0 {}", '6 {"a":1}'])
  })

  test("is copied: a value that was handed out does not grow", () => {
    const partial = new PartialJson()
    partial.push('{"a":[1,')
    const before = partial.value()
    partial.push("2,3]}")
    expect([before, partial.value()]).toEqual([{ a: [1] }, { a: [1, 2, 3] }])
  })
})

describe("faults of thinking in plain text", () => {
  test.each<[string, readonly string[]]>([
    ["<think>a</think>b", []],
    ["<think>a", ["unclosed"]],
    ["a</think>b</think>c", ["unopened"]],
    ["a <think>b</think> c <think>d</think> e", ["within-line"]],
    ["a <think>b</think> c</think> <think>d", ["within-line", "unopened"]],
    // A tag within a line that nothing closes is a word.
    ["a <think>b", []],
  ])("%j has %j, each told once", (text, expected) => {
    const faults: string[] = []
    const reader = createPlainTextReader({ onFault: (fault) => faults.push(fault) })
    reader.push(text)
    reader.end()
    expect(faults).toEqual(expected)
  })
})
