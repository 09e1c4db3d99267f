import { readFileSync } from "node:fs"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import shipped from "../../../core/model/prices.json" with { type: "json" }
import { checkPrices, type Prices } from "../../../core/model/prices.ts"
import { formatSource, positionAt } from "../../../core/source.ts"

/**
 * Reads the prices of models from a JSON file; without a path, those that the package comes with. Throws `usage` if the file cannot be
 * read, and with its line for anything but prices.
 */
export function readPrices(path: string | undefined): Prices {
  if (path === undefined) return shipped
  let text: string
  let prices: unknown
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/u, "")
    prices = JSON.parse(text)
  } catch (cause) {
    throw new PromptStrataError("usage", `Expected a JSON file with prices at ${path}: ${messageOf(cause)}.`, {
      hint: 'It has, by the id of a model, what a million of its tokens cost: { "openai:gpt-5-mini": { "input": 0.25, "output": 2 } }.',
      cause,
    })
  }
  return checkPrices(prices, (...names) => {
    let at = 0
    for (const name of names) at = Math.max(at, text.indexOf(JSON.stringify(name), at))
    return formatSource({ file: path, ...positionAt(text, at) })
  })
}
