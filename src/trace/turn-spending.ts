import type { HistoryMessage, ModelCalls, TurnSpending } from "../core/conversation.ts"
import { addUsage } from "../core/model/language-model.ts"
import type { TurnTrace } from "./trace.ts"

/** The calls of models in a turn, those of its child agents apart (T55). Undefined if no provider told the usage of any call. */
export function turnSpending(trace: TurnTrace, user: string): TurnSpending | undefined {
  const calls = [...callsOf(trace).values()]
  return calls.some(({ calls, unknown = 0 }) => unknown < calls) ? { user, calls, layers: layersOf(trace) } : undefined
}

/** Messages of a turn, the first with what the turn used. */
export function withSpending(messages: readonly HistoryMessage[], trace: TurnTrace, user: string): readonly HistoryMessage[] {
  const [first, ...others] = messages
  const spent = turnSpending(trace, user)
  return first && spent ? [{ ...first, spent }, ...others] : messages
}

/** The calls of a turn and of its child agents, by agent and model. */
function callsOf(trace: TurnTrace, sums = new Map<string, ModelCalls>(), child?: string): Map<string, ModelCalls> {
  for (const { model, usage } of trace.steps) {
    const id = JSON.stringify([model, child])
    const before = sums.get(id)
    const unknown = (before?.unknown ?? 0) + (usage === undefined ? 1 : 0)
    sums.set(id, {
      ...{ model, ...(child !== undefined && { child }), calls: (before?.calls ?? 0) + 1, ...(unknown > 0 && { unknown }) },
      usage: addUsage(before?.usage ?? {}, usage ?? {}),
    })
  }
  for (const { name, trace: of } of trace.children) callsOf(of, sums, name)
  return sums
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
