import { lazyPattern } from "../core/lazy-pattern.ts"
import { addUsage, type Usage } from "../model/usage.ts"
import type { Receipt } from "./receipt.ts"

const control = lazyPattern(String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+`, "gu")

/**
 * What followed a turn, for people: a line for each piece of work, and last what it cost. `importance ok (1204 ms, attempt 2):
 * importance 7`, `2 model calls · 812 tokens in, 34 out`.
 */
export function printReceipts(receipts: readonly Receipt[]): string {
  return [...receipts.map(receiptLine), printCost(receipts)].join("\n")
}

/** What background work cost, in one line: `2 model calls · 812 tokens in, 34 out`. Of a retried piece the tokens of the last attempt. */
export function printCost(receipts: readonly Receipt[]): string {
  const asked = receipts.filter(({ model }) => model !== undefined)
  const calls = asked.reduce((sum, { attempt }) => sum + attempt, 0)
  const usage = asked.reduce<Usage>((sum, receipt) => addUsage(sum, receipt.usage ?? {}), {})
  const tokens = usage.inputTokens === undefined ? "" : ` · ${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out`
  return `${calls} model ${calls === 1 ? "call" : "calls"}${tokens}`
}

function receiptLine({ kind, outcome, durationMs, attempt, message }: Receipt): string {
  const tries = attempt === 1 ? "" : `, attempt ${attempt}`
  const said = message === undefined ? "" : `: ${message.replace(control(), " ")}`
  return `${kind} ${outcome} (${durationMs} ms${tries})${said}`
}
