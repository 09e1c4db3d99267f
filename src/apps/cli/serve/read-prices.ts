import { readFileSync } from "node:fs"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { checkPrices } from "../../server/inspector/check-prices.ts"
import type { InspectorOptions } from "../../server/inspector/inspector.ts"

/** Reads the prices of models from a JSON file. Throws `usage` if that cannot be read, and for anything but prices. */
export async function readPrices(path: string): Promise<NonNullable<InspectorOptions["prices"]>> {
  let prices: unknown
  try {
    prices = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/u, ""))
  } catch (cause) {
    throw new PromptStrataError("usage", `Expected a JSON file with prices at ${path}: ${messageOf(cause)}.`, {
      hint: 'It has, by the id of a model, what a million of its tokens cost: { "openai:gpt-5-mini": { "input": 0.25, "output": 2 } }.',
      cause,
    })
  }
  return checkPrices(prices, path)
}
