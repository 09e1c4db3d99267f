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
 * Shortens a call's arguments for prompts: if they take more than an eighth of the token budget, long values lose their middle,
 * and a notice says so. The tool gets them whole. Without this a call that is longer than any request would end the turn, because
 * the newest call is never dropped.
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
  // There are so many values that even their beginnings are too long.
  return { args: cut(printArguments(args), Math.max(leastTokens, maxTokens >> 1)) }
}

/** Shortens the arguments of a run for prompts. Returns the same object if they are short. */
export function withFittedArguments(run: ToolRun, turn: TurnContext): ToolRun {
  const args = fitArguments(run.args, turn)
  return args === run.args ? run : { ...run, args }
}

/**
 * Shortens a tool's result: if it takes more than a quarter of the token budget, it loses its middle, and a notice says so. Without
 * this a result that is longer than any request would end the turn, because the newest result is never dropped.
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
