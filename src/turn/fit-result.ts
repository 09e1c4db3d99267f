import { truncateText } from "../assemble/truncate-text.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import type { TurnRun } from "./turn-run.ts"

/** The share of a request that one result may take. */
const resultShare = 1 / 4

/** Room for the notice and some words, however small the budget is. */
const leastTokens = 100

/**
 * A tool's result as a request with a token budget can show it: longer than a quarter of it, the middle goes, visibly. A newest
 * result is never dropped, so one that is too long for any request would end the turn.
 */
export function fitResult(run: TurnRun, result: string): { readonly result: string; readonly cappedFromCharacters?: number } {
  const { budgetTokens, dialect, ports } = run.setup
  if (budgetTokens === undefined) return { result }
  const { text, isCut, total } = truncateText(result, {
    maxTokens: Math.max(leastTokens, Math.floor(budgetTokens * resultShare)),
    counter: ports.counter,
    notice: (counts) => renderNotice(dialect, "result-truncated", { ...counts }),
  })
  return isCut ? { result: text, cappedFromCharacters: total } : { result }
}
