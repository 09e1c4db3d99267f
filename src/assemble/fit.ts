import { PromptStrataError } from "../core/errors.ts"
import type { Injection } from "../core/value.ts"
import type { Draft } from "./draft.ts"
import { type FitOptions, FitState, type Fitted, type Goal } from "./fit-state.ts"
import { canShorten } from "./shrink.ts"

/**
 * Shrinks injections until the composed prompt is within budget (S13). What has the lowest rank gives way first, equal
 * ranks in the order given: it is shortened as little as it takes, or else to its minimum; if that is not enough and
 * nothing of it is reserved, it is dropped whole, with its group. Only then comes the next rank. Ceilings hold in any
 * case. Deterministic.
 * @throws PromptStrataError `budget` naming the minimum and the largest items when nothing is left to shrink.
 */
export function fit(injections: readonly Injection[], options: FitOptions): Fitted {
  const state = new FitState(injections, options)
  for (const injection of injections) holdCeiling(state, injection)
  for (const injection of byRank(injections)) {
    if (state.fits()) break
    giveWay(state, injection)
  }
  if (!state.fits()) throw impossible(state, injections, options)
  return state.result()
}

function holdCeiling(state: FitState, injection: Injection): void {
  const { key, fit: rule } = injection
  const maxTokens = rule?.maxTokens
  if (maxTokens === undefined) return
  const measure = (draft?: Draft) => state.ownTokens(key, draft)
  reach(state, injection, {
    reason: `more than its ceiling of ${maxTokens} tokens`,
    measure,
    reached: (draft) => measure(draft) <= maxTokens,
  })
}

function giveWay(state: FitState, injection: Injection): void {
  reach(state, injection, {
    reason: `over budget, and rank ${injection.fit?.rank ?? 0} is the lowest left`,
    measure: (draft) => state.totalTokens(draft),
    reached: (draft) => state.fits(draft),
  })
}

function reach(state: FitState, injection: Injection, goal: Goal): void {
  if (!state.draft.printed.has(injection.key) || goal.reached(state.draft)) return
  if (canShorten(injection)) state.shorten(injection, goal)
  if (!goal.reached(state.draft)) dropGroup(state, injection, goal)
}

/** Items of one group are dropped together; where one of them is reserved, none is. */
function dropGroup(state: FitState, { key, fit: rule }: Injection, goal: Goal): void {
  const group = rule?.group
  const printed = state.injections.filter((other) => state.draft.printed.has(other.key))
  const others = printed.filter((other) => other.key !== key && group !== undefined && other.fit?.group === group)
  const reserved = [rule, ...others.map((other) => other.fit)].some((fit) => (fit?.minTokens ?? 0) > 0)
  if (!reserved) state.drop([key, ...others.map((other) => other.key)], goal)
}

function byRank(injections: readonly Injection[]): Injection[] {
  return injections.filter(({ fit: rule }) => rule !== undefined).sort((a, b) => (a.fit?.rank ?? 0) - (b.fit?.rank ?? 0))
}

function impossible(
  state: FitState,
  injections: readonly Injection[],
  { budgetTokens = 0, counter }: FitOptions,
): PromptStrataError {
  const minimumTokens = state.totalTokens()
  const largest = injections
    .map(({ key }) => ({ key, tokens: state.ownTokens(key) }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, 3)
  const named = largest.map(({ key, tokens }) => `${key} (${tokens})`).join(", ")
  const estimated = counter.exact ? "" : " (estimated)"
  return new PromptStrataError(
    "budget",
    `expected a prompt of at most ${budgetTokens} tokens; with everything cut that may be cut it still has ${minimumTokens}${estimated}.`,
    {
      hint: `Raise the budget to ${minimumTokens} or more, or shorten the largest items: ${named}.`,
      evidence: { budgetTokens, minimumTokens, largest },
    },
  )
}
