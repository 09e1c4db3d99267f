import { expect, test } from "vitest"
import { encodingSources, loadEncoder } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"

test("a file that cannot be loaded is a missing dependency, and the next call tries again", async () => {
  const cause = new Error("no such file")
  const failing = { ...encodingSources.gpt2, load: () => Promise.reject(cause) }
  await expect(loadEncoder("gpt2", failing)).rejects.toMatchObject({ code: "missing-dependency", cause })
  expect((await loadEncoder("gpt2")).count("hello world")).toBe(2)
})

test("calls at the same time load the file once", async () => {
  let loads = 0
  const load = () => {
    loads++
    return encodingSources.r50k_base.load()
  }
  const counted = { ...encodingSources.r50k_base, load }
  await Promise.all([loadEncoder("r50k_base", counted), loadEncoder("r50k_base", counted)])
  expect(loads).toBe(1)
})
