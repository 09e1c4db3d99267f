import { checkShape } from "../../../core/check-options.ts"
import type { ServiceKey } from "../../../core/conversation.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { addUsage, type Usage } from "../../../core/model/language-model.ts"

/** The outcome of a piece of background work (T33). `empty`: it worked and found nothing. `skipped`: there was nothing to do, or a cap forbade it. */
export type ReceiptOutcome = "ok" | "empty" | "parse-error" | "timeout" | "failed" | "skipped"

/** True for the outcomes of work that may be tried again. */
export function isBadOutcome(outcome: ReceiptOutcome): boolean {
  return outcome === "parse-error" || outcome === "timeout" || outcome === "failed"
}

/** The record of a piece of background work. There is one for each turn and kind: that of the last attempt, with the usage of all. */
export interface Receipt {
  readonly key: ServiceKey
  readonly turnId: string
  /** `importance`, `profile`, `store`, `reflect`, `turn`, `keep-alive`, or a plugin's own. */
  readonly kind: string
  readonly outcome: ReceiptOutcome
  /** How often this work was tried for this turn, this time included. */
  readonly attempt: number
  /** Milliseconds since 1970. */
  readonly startedMs: number
  readonly durationMs: number
  /** One line for people: `importance 7`, `no number in "…"`. */
  readonly message?: string
  /** Results that later steps need after a restart, such as `{ "importance": 7 }`. */
  readonly value?: Readonly<Record<string, unknown>>
  /** The model that was asked; absent if none was. */
  readonly model?: string
  readonly usage?: Usage
  /** The tokens that the provider did not tell, as they were counted here. Only where a profile bounds a user's day. */
  readonly estimate?: Usage
}

/** Matches characters that would break a line or a terminal. */
const control = lazyPattern(String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+`, "gu")

/**
 * Prints the background work of a turn for people: a line for each receipt, then the cost. `importance ok (1204 ms, attempt 2):
 * importance 7`, `2 model calls · 812 tokens in, 34 out`.
 */
export function printReceipts(receipts: readonly Receipt[]): string {
  checkShape("the receipts of printReceipts", receipts, [{ kind: "string", "message?": "string", "usage?": {} }])
  return [...receipts.map(receiptLine), printCost(receipts)].join("\n")
}

/** Prints the cost of background work in one line: `2 model calls · 812 tokens in, 34 out`. For retried work, the tokens are those of all attempts. */
export function printCost(receipts: readonly Receipt[]): string {
  const asked = receipts.filter(({ model }) => model !== undefined)
  const calls = asked.reduce((sum, { attempt }) => sum + attempt, 0)
  const usage = asked.reduce<Usage>((sum, receipt) => addUsage(sum, receipt.usage ?? {}), {})
  const tokens = usage.inputTokens === undefined ? "" : ` · ${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out`
  return `${counted(calls, "model call")}${tokens}`
}

/** A number with its noun: `1 field`, `2 fields`, `0 memories`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

function receiptLine({ kind, outcome, durationMs, attempt, message }: Receipt): string {
  const tries = attempt === 1 ? "" : `, attempt ${attempt}`
  const said = message === undefined ? "" : `: ${message.replace(control(), " ")}`
  return `${kind} ${outcome} (${durationMs} ms${tries})${said}`
}
