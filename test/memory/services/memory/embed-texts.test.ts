import { expect, test } from "vitest"
import { type EmbeddingModel, embedTexts } from "../../../../src/memory/services/memory/memory-service.ts"

const { signal } = new AbortController()
const made = (vectors: readonly (readonly number[])[], dimensions?: number): EmbeddingModel => ({
  id: "small",
  ...(dimensions === undefined ? {} : { dimensions }),
  embed: async () => vectors,
})

test("vectors come back as they were made, one for each text", async () => {
  expect(
    await embedTexts(
      made([
        [1, 2],
        [3, 4],
      ]),
      ["a", "b"],
      { signal },
    ),
  ).toEqual([Float32Array.of(1, 2), Float32Array.of(3, 4)])
  expect(await embedTexts(made([[1, 2]], 2), ["a"], { signal })).toHaveLength(1)
})

test("M23 a model is given no more than 16,384 characters of a text, and no half of one", async () => {
  const given: (readonly string[])[] = []
  const embed: EmbeddingModel["embed"] = async (texts) => {
    given.push(texts)
    return texts.map(() => [1])
  }
  await embedTexts({ id: "small", embed }, ["x".repeat(20_000), `x${"😀".repeat(9_000)}`, "short"], { signal })
  expect(given[0]?.map(({ length }) => length)).toEqual([16_384, 16_383, 5])
})

test.each<[string, EmbeddingModel, string]>([
  ["too few", made([[1, 2]]), "expected 2 vectors of 2 finite numbers from small, found 1 of 2."],
  ["none", made([]), "expected 2 vectors of 0 finite numbers from small, found 0 of 0."],
  ["empty ones", made([[], []]), "expected 2 vectors of 0 finite numbers from small, found 2 of 0."],
  ["of two lengths", made([[1, 2], [1]]), "expected 2 vectors of 2 finite numbers from small, found 2 of 2."],
  [
    "of another length than was said",
    made(
      [
        [1, 2],
        [1, 2],
      ],
      3,
    ),
    "expected 2 vectors of 3 finite numbers from small, found 2 of 2.",
  ],
  [
    "with no number",
    made([
      [1, 2],
      [1, Number.NaN],
    ]),
    "expected 2 vectors of 2 finite numbers from small, found 2 of 2.",
  ],
])("vectors are refused: %s", async (_, model, message) => {
  await expect(embedTexts(model, ["a", "b"], { signal })).rejects.toMatchObject({
    code: "model",
    message,
    evidence: { model: "small" },
  })
})
