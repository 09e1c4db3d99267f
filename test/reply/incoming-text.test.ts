import fc from "fast-check"
import { expect, test } from "vitest"
import { addPiece } from "../../src/reply/incoming-text.ts"
import { runs } from "../support/size.ts"

test("the pieces of a text, joined, are the text, and their list stays short", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 600, size: "max" }), (deltas) => {
      const pieces: string[] = []
      let text = ""
      for (const [at, delta] of deltas.entries()) {
        addPiece(pieces, delta)
        text += delta
        expect(pieces.length).toBeLessThanOrEqual(128)
        if (at % 100 === 0) expect(pieces.join("")).toBe(text)
      }
      expect(pieces.join("")).toBe(text)
    }),
    { numRuns: runs(50) },
  )
})
