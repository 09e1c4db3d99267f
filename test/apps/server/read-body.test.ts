import { expect, test } from "vitest"
import { readJsonBody } from "../../../src/apps/server/read-body.ts"

test("a body may have exactly as many bytes as it may have at most", async () => {
  const body = JSON.stringify({ text: "你好" })
  const size = Buffer.byteLength(body)
  const read = (maxBytes: number) => readJsonBody(new Request("http://bot.test", { method: "POST", body }), maxBytes)
  expect(await read(size)).toEqual({ text: "你好" })
  await expect(read(size - 1)).rejects.toMatchObject({ status: 413 })
})
