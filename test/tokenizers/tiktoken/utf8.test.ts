import fc from "fast-check"
import { expect, test } from "vitest"
import { writeUtf8 } from "../../../src/tokenizers/tiktoken/encoder.ts"
import { anyText } from "./arbitrary-pieces.ts"

test("the bytes of a part of a text are its UTF-8", () => {
  fc.assert(
    fc.property(anyText(), anyText(), anyText(), (before, text, after) => {
      const bytes = new Uint8Array(text.length * 3)
      const length = writeUtf8(before + text + after, before.length, before.length + text.length, bytes)
      expect(bytes.slice(0, length)).toEqual(new TextEncoder().encode(text))
    }),
    { numRuns: 1000 },
  )
})
