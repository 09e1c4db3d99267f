import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { freezeParsed, frozenJson, frozenState } from "../../../../src/memory/services/store/frozen-json.ts"
import { runs, seedOf } from "../../../support/size.ts"

describe("a frozen copy of plain JSON", () => {
  test("equals the value, shares nothing with it, and is frozen at every depth", () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value)
        const copy = frozenJson(value, "value")
        expect(JSON.stringify(copy)).toBe(JSON.stringify(JSON.parse(json)))
        expect(isFrozen(copy)).toBe(true)
        if (typeof value === "object" && value !== null) expect(copy).not.toBe(value)
      }),
      { numRuns: runs(500), seed: seedOf(7) },
    )
  })

  test.each([
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["an object of another realm", runInNewContext("({ a: 1 })")],
    ["a member that is undefined", { a: 1, b: undefined }],
  ])("takes %s", (_, value) => {
    expect(JSON.stringify(frozenJson(value, "value"))).toBe('{"a":1}')
  })

  test.each([
    ["a Map", { a: [new Map()] }, "value.a[0], found a Map"],
    ["an instance of a class", { a: new (class Cat {})() }, "value.a, found a Cat"],
    ["a function", { a: () => 1 }, "value.a, found a value of type function"],
    ["no number", { a: Number.NaN }, "value.a, found NaN"],
    ["a hole", { a: Object.assign(Array(2), { 0: 1 }) }, "value.a[1], found a value of type undefined"],
  ])("refuses %s, and says where it is", (_, value, where) => {
    expect(() => frozenJson(value, "value")).toThrow(` at ${where}`)
  })

  test("has no -0, and a member named __proto__ is one like any other", () => {
    expect(Object.is(frozenJson({ a: -0 }, "value").a, 0)).toBe(true)
    const copy = frozenJson(JSON.parse('{"__proto__": {"a": 1}}'), "value")
    expect([Object.keys(copy), Object.getPrototypeOf(copy)]).toEqual([["__proto__"], Object.prototype])
  })

  test("is at most 500 levels deep, counted through copies that it shares", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
    expect(() => frozenJson(nested(501), "value")).not.toThrow()
    expect(() => frozenJson(nested(502), "value")).toThrow("at most 500 levels deep")
    const half = frozenJson(nested(300), "value")
    expect(() => frozenJson({ a: { a: half } }, "value")).not.toThrow()
    expect(() =>
      frozenJson(
        [...Array(202)].reduce((inner) => ({ a: inner }), half),
        "value",
      ),
    ).toThrow("at most 500 levels deep")
  })

  test("shares what lies near the root of an earlier copy, and copies what lies deeper", () => {
    const once = frozenJson({ a: { b: { c: { d: 1 } } } }, "value")
    const again = frozenJson({ root: once, a: once.a, b: once.a.b, c: once.a.b.c }, "value")
    expect([again.root === once, again.a === once.a, again.b === once.a.b]).toEqual([true, true, true])
    expect(again.c).not.toBe(once.a.b.c)
    const state = frozenState({ hooks: { one: { a: { b: { c: 1 } } } } })
    const own = state.hooks.one.a
    expect([frozenState({ x: own }).x === own, frozenState({ x: own.b }).x === own.b]).toEqual([true, true])
  })

  test("freezes in place a value that holds one object at several places", () => {
    const shared = { a: [1] }
    const deep = { a: { b: { c: { d: { e: { shared } } } } } }
    const value = freezeParsed({ deep, list: [shared, shared] })
    expect([value.list[0], value.deep.a.b.c.d.e.shared, Object.isFrozen(shared.a)]).toEqual([shared, shared, true])
    const twice = freezeParsed({ list: [{ a: [1] }] })
    expect(frozenJson(freezeParsed({ list: [twice, twice], twice }), "value").twice).toBe(twice)
  })
})
