import { truncateText } from "../assemble/truncate-text.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import { printArguments } from "../tools/call-arguments.ts"
import { printJson } from "../tools/print-json.ts"
import type { ToolRun } from "../tools/tool.ts"
import type { TurnSetup } from "./turn-setup.ts"

/** The share of a request that a call's arguments may take; some prompts show them twice, in the call and beside its result. */
const argumentsShare = 1 / 8

/** Room for the notice and some words, however small the budget is. */
const leastTokens = 100

type Arguments = Readonly<Record<string, unknown>>

/**
 * A call's arguments as a request with a token budget can show them: where they are longer than an eighth of it, the longest
 * values lose their middle, visibly. The tool gets them whole. A newest call is never dropped, so one that is too long for any
 * request would end the turn.
 */
export function fitArguments(args: Arguments, { budgetTokens, dialect, ports }: TurnSetup): Arguments {
  if (budgetTokens === undefined) return args
  const { counter } = ports
  const maxTokens = Math.max(leastTokens, Math.floor(budgetTokens * argumentsShare))
  const isShort = (text: string, tokens: number) => counter.count(text) <= tokens
  const cut = (text: string, tokens: number): string =>
    truncateText(text, { maxTokens: tokens, counter, notice: (counts) => renderNotice(dialect, "truncated", { ...counts }) }).text
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
export function withFittedArguments(run: ToolRun, setup: TurnSetup): ToolRun {
  const args = fitArguments(run.args, setup)
  return args === run.args ? run : { ...run, args }
}
