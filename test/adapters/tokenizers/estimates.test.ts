import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { tiktokenCounter } from "../../../src/adapters/tokenizers/tiktoken/index.ts"
import { roughCounter } from "../../../src/core/ports.ts"
import {
  estimatePages,
  estimateTable,
  printOf,
  recordedCounts,
  sampleNames,
  sampleText,
  withEstimates,
} from "../../support/token-samples/estimate-table.ts"

const page = readFileSync(new URL("../../../docs/tokens.md", import.meta.url), "utf8")
const recorded = recordedCounts()
const o200k = await tiktokenCounter({ encoding: "o200k_base" })

test("T54 docs/tokens.md says how far the estimates of today are off, for six families without an exact counter and both languages", () => {
  expect(page).toContain(`<!-- estimates -->\n${estimateTable(recorded, roughCounter, o200k)}\n<!-- end -->`)
  expect(recorded.families.filter(({ family }) => family !== "GPT-4o").length).toBeGreaterThanOrEqual(6)
  // The counts are those of the samples as they stand.
  expect(Object.fromEntries(sampleNames.map((name) => [name, printOf(name)]))).toEqual(recorded.samples)
})

test("T54 its twin in Chinese has the same rows", () => {
  const texts = estimatePages.map((url) => readFileSync(url, "utf8"))
  expect(texts.map((text) => withEstimates(text, estimateTable(recorded, roughCounter, o200k)))).toEqual(texts)
  expect(new Set(texts.map((text) => text.match(/^\| .* × \|$/gm)?.join("\n"))).size).toBe(1)
})

test("T54 the tokenizer that counted counts as tiktoken does where both know a model, and loads too slowly to be shipped", () => {
  const known = recorded.families.find(({ family }) => family === "GPT-4o")
  expect(Object.fromEntries(sampleNames.map((name) => [name, o200k.count(sampleText(name))]))).toEqual(known?.counts)
  expect(page).toContain(`for ${recorded.compared.toLocaleString("en")} texts of odd characters`)
  const slow = recorded.families.filter(({ loadMs }) => loadMs > 2 * recorded.tiktokenMs)
  expect(slow.length).toBeGreaterThan(recorded.families.length / 2)
})
