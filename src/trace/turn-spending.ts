import type { HistoryMessage, ModelCalls, TurnSpending } from "../core/conversation.ts"
import { isRecord } from "../core/json-access.ts"
import { addUsage, type Usage } from "../core/model/language-model.ts"
import type { TokenCounter } from "../core/ports.ts"
import { defined } from "../core/value.ts"
import type { TraceStep, TurnTrace } from "./trace.ts"

/**
 * The calls of models in a turn, those of its child agents apart (T55). Undefined if no provider told the usage of any call. With a
 * counter, what no provider told is estimated beside it.
 */
export function turnSpending(trace: TurnTrace, user: string, counter?: TokenCounter): TurnSpending | undefined {
  const calls = callsOf(trace, counter)
  const isKnown = calls.some(({ calls, unknown = 0, estimate }) => unknown < calls || estimate !== undefined)
  return isKnown ? { user, calls, layers: layersOf(trace) } : undefined
}

/** True for what a turn used. A stored value of any form may stand in an imported row. */
export function isSpending(value: unknown): value is TurnSpending {
  if (!isRecord(value) || !Array.isArray(value.calls) || !isRecord(value.layers)) return false
  return value.calls.every((each) => isRecord(each) && typeof each.model === "string" && isRecord(each.usage))
}

/** Messages of a turn, the first with what the turn used. */
export function withSpending(messages: readonly HistoryMessage[], trace: TurnTrace, user: string): readonly HistoryMessage[] {
  const [first, ...others] = messages
  const spent = turnSpending(trace, user)
  return first && spent ? [{ ...first, spent }, ...others] : messages
}

/** The calls of a turn and of its child agents, by agent and model. */
export function callsOf(trace: TurnTrace, counter?: TokenCounter): readonly ModelCalls[] {
  const sums = new Map<string, ModelCalls>()
  addCalls(sums, trace, { counter, child: undefined })
  return [...sums.values()]
}

function addCalls(
  sums: Map<string, ModelCalls>,
  { steps, children }: TurnTrace,
  { counter, child }: { readonly counter: TokenCounter | undefined; readonly child: string | undefined },
): void {
  for (const step of steps) {
    const { model, usage } = step
    const id = JSON.stringify([model, child])
    const before = sums.get(id)
    const unknown = (before?.unknown ?? 0) + (usage === undefined ? 1 : 0)
    const estimate = counter && estimateOf(step, counter)
    sums.set(id, {
      ...{ model, ...(child !== undefined && { child }), calls: (before?.calls ?? 0) + 1, ...(unknown > 0 && { unknown }) },
      usage: addUsage(before?.usage ?? {}, usage ?? {}),
      ...defined({ estimate: estimate ? addUsage(before?.estimate ?? {}, estimate) : before?.estimate }),
    })
  }
  for (const { name, trace } of children) addCalls(sums, trace, { counter, child: name })
}

/** The tokens of a call that its provider did not tell. Undefined if it told all, and for a call that failed without a word. */
export function estimateOf(
  { usage, error, output, assembly }: Pick<TraceStep, "usage" | "error" | "output" | "assembly">,
  counter: TokenCounter,
): Usage | undefined {
  const { inputTokens, outputTokens } = usage ?? {}
  if (inputTokens === undefined ? error !== undefined && output === "" : outputTokens !== undefined) return undefined
  return {
    inputTokens: inputTokens === undefined ? assembly.tokens + assembly.overheadTokens : 0,
    outputTokens: outputTokens === undefined ? counter.count(output) : 0,
  }
}

/** Tokens of a turn's own requests by layer. Those that share a slot, as `lorebook/…`, are one. */
export function layersOf({ steps }: TurnTrace): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const { assembly } of steps)
    for (const { key, tokens } of assembly.spans) {
      const [slot = ""] = key.split("/")
      sums.set(slot, (sums.get(slot) ?? 0) + tokens)
    }
  return Object.fromEntries(sums)
}
