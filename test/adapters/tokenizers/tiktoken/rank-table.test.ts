import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { both, encodings } from "./encoders.ts"

describe.each(encodings)("the table of %s", (encoding) => {
  const { tiktoken, tokens, table } = both(encoding)
  const tokenAt = (index: number) => tokens.bytes.slice(tokens.ends[index - 1] ?? 0, tokens.ends[index])

  test("finds every token of tiktoken's under its rank", () => {
    const theirs = tiktoken.token_byte_values()
    expect(tokens.ranks.length).toBe(theirs.length)
    const wrong = Array.from(tokens.ranks).filter((rank, index) => {
      const token = tokenAt(index)
      return table.rank(token, 0, token.length) !== rank || !sameBytes(token, tiktoken.decode_single_token_bytes(rank))
    })
    expect(wrong).toEqual([])
  })

  test("finds nothing that is no token, wherever the bytes lie", () => {
    const known = new Set(Array.from(tokens.ranks, (_, index) => String(tokenAt(index))))
    fc.assert(
      fc.property(fc.nat(tokens.ranks.length - 1), fc.uint8Array({ minLength: 1, maxLength: 3 }), (index, more) => {
        const bytes = Uint8Array.from([...more, ...tokenAt(index), ...more])
        const inside = bytes.subarray(more.length, bytes.length)
        expect(table.rank(bytes, more.length, bytes.length) >= 0).toBe(known.has(String(inside)))
      }),
    )
    expect(table.rank(new Uint8Array(1000), 0, 1000)).toBe(-1)
  })
})

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
