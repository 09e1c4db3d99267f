import { PromptStrataError } from "../../../core/errors.ts"
import { isRecord } from "../../../core/json-access.ts"
import type { TokenPrice } from "./turn-record.ts"

const known = { input: true, output: true, cacheRead: true, cacheWrite: true } satisfies {
  readonly [K in keyof TokenPrice]-?: true
}

/** Prices of models by their ids, as they were given. Throws `usage` for anything else; `where` names their place. */
export function checkPrices(prices: unknown, where: string): Readonly<Record<string, TokenPrice>> {
  if (!isRecord(prices)) throw wrong(`${where} to name models`, prices)
  for (const [model, price] of Object.entries(prices)) {
    const place = `${where} for ${JSON.stringify(model)}`
    if (!isRecord(price)) throw wrong(`${place} to have \`input\` and \`output\``, price)
    for (const name of Object.keys(price))
      if (!Object.hasOwn(known, name)) throw wrong(`${place} to have ${Object.keys(known).join(", ")}`, name)
    for (const name of Object.keys(known)) {
      const value = price[name]
      if (value === undefined && name.startsWith("cache")) continue
      if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
        throw wrong(`${place} to have a number from 0 as \`${name}\``, value)
    }
  }
  return prices as Readonly<Record<string, TokenPrice>>
}

function wrong(expected: string, found: unknown): PromptStrataError {
  // JSON has no word for a number without an end.
  const shown = typeof found === "number" ? String(found) : (JSON.stringify(found)?.slice(0, 60) ?? "nothing")
  return new PromptStrataError("usage", `Expected ${expected}, found ${shown}.`, {
    hint: 'By the id of a model, what a million of its tokens cost: { "openai:gpt-5-mini": { "input": 0.25, "cacheRead": 0.025, "output": 2 } }.',
  })
}
