import type { RecordedChild, TurnRecord } from "../src/apps/server/inspector/turn-record.ts"
import type { Words } from "./words.ts"

/** `52 ms`, `1.2 s`. */
export function timeText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** `0.0031`, `0.0000025`: a sum in the currency of the prices. */
export function moneyText(cost: number): string {
  return cost.toLocaleString("en", { maximumSignificantDigits: 3 })
}

/** Why no money is shown for a turn; undefined if it is, or if nothing was asked. */
export function missingMoney({ cost, outcome, ...own }: TurnRecord, words: Words): string | undefined {
  if (cost !== undefined || outcome.state === "running") return undefined
  const requests = requestsOf(own)
  const names = (models: readonly { readonly model: string }[]): string =>
    [...new Set(models.map(({ model }) => model))].filter(Boolean).join(", ")
  const unpriced = names(requests.filter((request) => request.usage && request.cost === undefined))
  if (unpriced !== "") return words.noPrice(unpriced)
  const untold = names(requests.filter(({ usage }) => usage === undefined))
  return untold === "" ? undefined : words.noUsage(untold)
}

function requestsOf({ requests, children }: Pick<RecordedChild, "requests" | "children">): TurnRecord["requests"] {
  return [...requests, ...children.flatMap(requestsOf)]
}
