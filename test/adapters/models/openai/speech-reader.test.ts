import fc from "fast-check"
import { expect, test } from "vitest"
import { recordingOf } from "../../../../src/adapters/models/openai/media.ts"
import { bytesToText } from "../../../../src/memory/services/store/blob.ts"

const recordings = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 })

const heard = (pieces: readonly string[]) => recordingOf(pieces, "mp3")

function recording(parts: readonly Uint8Array[]) {
  return { type: "file", mediaType: "audio/mpeg", base64: bytesToText(Uint8Array.from(parts.flatMap((part) => [...part]))) }
}

test("a recording is whole wherever its base64 is cut", () => {
  const cuts = fc.array(fc.nat(80), { maxLength: 8 })
  fc.assert(
    fc.property(recordings, cuts, (parts, places) => {
      const text = bytesToText(Uint8Array.from(parts.flatMap((part) => [...part])))
      const ends = [...places.toSorted((a, b) => a - b), text.length]
      expect(heard(ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end)))).toEqual(recording(parts))
    }),
  )
})

test("and where each piece was encoded by itself", () => {
  fc.assert(
    fc.property(recordings, (parts) => {
      expect(heard(parts.map((part) => bytesToText(part)))).toEqual(recording(parts))
    }),
  )
})

test.each([["="], ["===="], ["AAAAA"], ["AA=A"], ["*"]])("%j is no recording and is told", (text) => {
  expect(heard([text])).toEqual({ type: "warning", message: expect.stringContaining("not base64") })
})
