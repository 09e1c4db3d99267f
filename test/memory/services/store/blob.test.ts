import { expect, test } from "vitest"
import { newBlob } from "../../../../src/memory/services/store/blob.ts"

test("bytes above the limit are refused with advice, those at it are kept", async () => {
  expect((await newBlob(new Uint8Array(20_000_000))).bytes).toHaveLength(20_000_000)
  await expect(newBlob(new Uint8Array(20_000_001))).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("at most 20000000 bytes, found 20000001"),
    hint: "Nothing was written. Make the picture or file smaller, or keep it elsewhere and name its URL.",
    evidence: { bytes: 20_000_001, maxBytes: 20_000_000 },
  })
  await expect(newBlob("text" as never)).rejects.toThrow("found a value of type string")
})
