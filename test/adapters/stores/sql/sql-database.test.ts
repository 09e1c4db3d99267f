import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fromKeyText } from "../../../../src/adapters/stores/sql/sql-database.ts"
import { keyText } from "../../../../src/memory/services/store/rows/row-tables.ts"
import { vectorBytes, vectorValues } from "../../../../src/memory/services/store/store-row.ts"

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom('"', "\0", "\ud800", "a", "\\") }))

describe("keyText", () => {
  test("has an inverse, and no two strings become one", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(fromKeyText(keyText(a))).toBe(a)
        expect(keyText(a) === keyText(b)).toBe(a === b)
      }),
    )
  })

  test("is text that every database keeps: without NUL and half characters", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const kept = keyText(text)
        expect(kept.includes("\0")).toBe(false)
        expect(new TextDecoder().decode(new TextEncoder().encode(kept))).toBe(kept)
      }),
    )
  })

  test("leaves an ordinary name as a person can read it", () => {
    expect(keyText("tg:42 小明")).toBe("tg:42 小明")
  })
})

test("vectors come back bit for bit, 4 bytes a number, the lowest first", () => {
  fc.assert(
    fc.property(fc.float32Array(), (values) => {
      expect(new Uint8Array(vectorValues(vectorBytes(values)).buffer)).toEqual(new Uint8Array(values.slice().buffer))
    }),
  )
  expect([...vectorBytes(Float32Array.of(1))]).toEqual([0, 0, 128, 63])
})
