import { truncateText } from "../assemble/truncate-text.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import { printArguments } from "../tools/call-arguments.ts"
import { printJson } from "../tools/print-json.ts"
import type { ToolRun } from "../tools/tool.ts"
import type { TurnContext } from "./turn-context.ts"

/** The share of a request that a call's arguments may take; some prompts show them twice, in the call and beside its result. */
const argumentsShare = 1 / 8

/** The share of a request that one result may take. */
const resultShare = 1 / 4

/** Room for the notice and some words, however small the budget is. */
const leastTokens = 100

type Arguments = Readonly<Record<string, unknown>>

/**
 * A call's arguments as a request with a token budget can show them: where they are longer than an eighth of it, the longest
 * values lose their middle, visibly. The tool gets them whole. A newest call is never dropped, so one that is too long for any
 * request would end the turn.
 */
export function fitArguments(args: Arguments, { budgetTokens, agent }: TurnContext): Arguments {
  if (budgetTokens === undefined) return args
  const { counter } = agent.ports
  const maxTokens = Math.max(leastTokens, Math.floor(budgetTokens * argumentsShare))
  const isShort = (text: string, tokens: number) => counter.count(text) <= tokens
  const notice = (counts: object) => renderNotice(agent.dialect, "truncated", { ...counts })
  const cut = (text: string, tokens: number): string => truncateText(text, { maxTokens: tokens, counter, notice }).text
  const cutValue = (value: unknown, tokens: number): unknown => {
    const text = typeof value === "string" ? value : printJson(value)
    return isShort(text, tokens) ? value : cut(text, tokens)
  }
  if (isShort(printArguments(args), maxTokens)) return args
  for (let tokens = maxTokens; tokens >= leastTokens; tokens >>= 1) {
    const shown = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, cutValue(value, tokens)]))
    if (isShort(printArguments(shown), maxTokens)) return shown
  }
  // So many values that even their beginnings are too long.
  return { args: cut(printArguments(args), Math.max(leastTokens, maxTokens >> 1)) }
}

/** A run as prompts show it; the very same one where its arguments are short. */
export function withFittedArguments(run: ToolRun, turn: TurnContext): ToolRun {
  const args = fitArguments(run.args, turn)
  return args === run.args ? run : { ...run, args }
}

/**
 * A tool's result as a request with a token budget can show it. A result longer than a quarter of the budget loses its middle,
 * visibly. A newest result is never dropped, so one that is too long for any request would end the turn.
 */
export function fitResult(
  { budgetTokens, agent }: TurnContext,
  result: string,
): { readonly result: string; readonly cappedFromCharacters?: number } {
  if (budgetTokens === undefined) return { result }
  const { text, isCut, total } = truncateText(result, {
    maxTokens: Math.max(leastTokens, Math.floor(budgetTokens * resultShare)),
    counter: agent.ports.counter,
    notice: (counts) => renderNotice(agent.dialect, "result-truncated", { ...counts }),
  })
  return isCut ? { result: text, cappedFromCharacters: total } : { result }
}
