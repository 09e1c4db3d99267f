import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createKeyMatcher } from "../../../../src/prompt/layers/lorebook/key-matcher.ts"
import { runs, seedOf } from "../../../support/size.ts"

const found = (keys: readonly string[], text: string) => {
  const all: string[] = []
  createKeyMatcher(keys)(text, (key, end) => all.push(`${end - (keys[key]?.length ?? 0)} ${keys[key]}`))
  return all.sort()
}

/** Every occurrence, one key after the other. */
const plain = (keys: readonly string[], text: string) =>
  keys
    .flatMap((key) => {
      const all: string[] = []
      for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) all.push(`${at} ${key}`)
      return all
    })
    .sort()

describe("the matcher of all keys (C19)", () => {
  test("finds keys inside, beside and over each other", () => {
    expect(found(["he", "she", "his", "hers", "e"], "ushers")).toEqual(["1 she", "2 he", "2 hers", "3 e"])
    expect(found(["龙", "龙骑士", "骑"], "那个龙骑士")).toEqual(["2 龙", "2 龙骑士", "3 骑"])
    expect(found([], "anything")).toEqual([])
  })

  test("finds what one search per key finds", () => {
    const words = fc.string({ unit: fc.constantFrom("a", "b", "c", "龙", "😀"), minLength: 1, maxLength: 5 })
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "龙", "😀"), maxLength: 60 })
    fc.assert(
      fc.property(fc.uniqueArray(words, { maxLength: 30 }), text, (keys, given) => {
        expect(found(keys, given)).toEqual(plain(keys, given))
      }),
      { numRuns: runs(20_000), seed: seedOf(19) },
    )
  })
})
