import { PromptStrataError } from "../../core/errors.ts"
import type { Injection } from "../../core/value.ts"
import type { Draft } from "../draft/draft.ts"
import { dropRun, plainDropsFrom } from "./drop-run.ts"
import { type FitOptions, FitState, type Fitted, type Goal } from "./fit-state.ts"
import { presumeHistory, shorten } from "./shorten.ts"
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
  const order = byRank(injections)
  presume(state, order)
  for (const injection of injections) holdCeiling(state, injection)
  holdReserve(state, injections)
  for (let index = 0; index < order.length && !state.fits(); ) {
    const run = plainDropsFrom(order, index, state)
    const injection = order[index]
    if (run.length > 1) dropRun(state, run, goalOf)
    else if (injection) giveWay(state, injection)
    index += Math.max(run.length, 1)
  }
  if (!state.fits()) throw impossible(state, injections, options)
  return state.result()
}

function holdCeiling(state: FitState, injection: Injection): void {
  const { key, fit: rule } = injection
  const maxTokens = rule?.maxTokens
  if (maxTokens === undefined) return
  reach(state, injection, {
    reason: `more than its ceiling of ${maxTokens} tokens`,
    excess: (draft) => state.ownTokens(key, draft) - maxTokens,
  })
}

/** History that is first to give way, and longer than the whole budget, is cut before anything is composed. */
function presume(state: FitState, [first]: readonly Injection[]): void {
  const { budgetTokens, cut = {} } = state.options
  if (first?.key !== "history" || !Array.isArray(first.content) || budgetTokens === undefined || !canShorten(first)) return
  const isPlain = first.fit?.maxTokens === undefined && (first.fit?.minTokens ?? 0) <= 0
  if (isPlain && !Object.hasOwn(cut, "history")) presumeHistory(state, first, goalOf(state, first).reason)
}

/** Only history makes room for what is not there yet, and only in a turn's first request. */
function holdReserve(state: FitState, injections: readonly Injection[]): void {
  const { budgetTokens, history, cut } = state.options
  const { reserveTokens = 0 } = history
  if (budgetTokens === undefined || cut !== undefined || reserveTokens <= 0) return
  const reserve = reserveTokens - state.turnTokens()
  const injection = injections.find(({ key }) => key === "history")
  if (reserve <= 0 || !injection || !canShorten(injection)) return
  const goal: Goal = {
    reason: `over budget with ${reserve} tokens kept free for the turn`,
    excess: (draft) => state.excess(draft, budgetTokens - reserve),
  }
  if (state.draft.printed.has("history") && goal.excess(state.draft) > 0) shorten(state, injection, goal)
}

function goalOf(state: FitState, injection: Injection): Goal {
  return {
    reason: `over budget, and rank ${injection.fit?.rank ?? 0} is the lowest left`,
    excess: (draft: Draft) => state.excess(draft),
  }
}

function giveWay(state: FitState, injection: Injection): void {
  reach(state, injection, goalOf(state, injection))
}

function reach(state: FitState, injection: Injection, goal: Goal): void {
  if (!state.draft.printed.has(injection.key) || goal.excess(state.draft) <= 0) return
  if (canShorten(injection) && shorten(state, injection, goal) && goal.excess(state.draft) <= 0) return
  dropGroup(state, injection, goal)
}

/** Items of one group are dropped together; where one of them is reserved, none is. */
function dropGroup(state: FitState, { key, fit: rule }: Injection, goal: Goal): void {
  const group = rule?.group
  const printed = state.injections.filter((other) => state.draft.printed.has(other.key))
  const others = printed.filter((other) => other.key !== key && group !== undefined && other.fit?.group === group)
  const reserved = [rule, ...others.map((other) => other.fit)].some((fit) => (fit?.minTokens ?? 0) > 0)
  if (reserved) return
  const keys = [key, ...others.map((other) => other.key)]
  const reasonOf = (dropped: string) => (dropped === key ? goal.reason : `dropped with ${key}, of its group`)
  const steps = keys.map((dropped) => ({ key: dropped, cut: { dropped: true } as const, reason: reasonOf(dropped) }))
  const gone = new Set(keys)
  const tryout = state.without((one) => gone.has(one))
  state.adopt(tryout, goal, steps)
}

function impossible(
  state: FitState,
  injections: readonly Injection[],
  { budgetTokens = 0, counting }: FitOptions,
): PromptStrataError {
  const minimumTokens = state.totalTokens()
  const largest = injections
    .map(({ key }) => ({ key, tokens: state.ownTokens(key) }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, 3)
  const named = largest.map(({ key, tokens }) => `${key} (${tokens})`).join(", ")
  const shorter = named === "" ? "" : `, or shorten the largest items: ${named}`
  const estimated = counting.counter.exact ? "" : " (estimated)"
  return new PromptStrataError(
    "budget",
    `expected a prompt of at most ${budgetTokens} tokens; with everything cut that may be cut it still has ${minimumTokens}${estimated}.`,
    {
      hint: `Raise the budget to ${minimumTokens} or more, what is kept for the answer not counted${shorter}.`,
      evidence: { budgetTokens, minimumTokens, largest },
    },
  )
}

/** Rank and place together in one number: with both below these, it is a whole one and exact. */
const placeLimit = 2 ** 20
const rankLimit = 2 ** 31

/** What may give way, the lowest rank first, equal ranks in the order given. */
export function byRank(injections: readonly Injection[]): Injection[] {
  const ranked = injections.filter(({ fit }) => fit !== undefined)
  return sortedAsNumbers(ranked) ?? ranked.sort((a, b) => (a.fit?.rank ?? 0) - (b.fit?.rank ?? 0))
}

/** Sorted without comparing injections, a quarter of the work; `undefined` where a rank is broken, negative or huge. */
function sortedAsNumbers(ranked: readonly Injection[]): Injection[] | undefined {
  if (ranked.length > placeLimit) return undefined
  const numbers = new Float64Array(ranked.length)
  for (let place = 0; place < ranked.length; place++) {
    const rank = ranked[place]?.fit?.rank ?? 0
    if (!Number.isInteger(rank) || rank < 0 || rank >= rankLimit) return undefined
    numbers[place] = rank * placeLimit + place
  }
  numbers.sort()
  const sorted: Injection[] = []
  for (const number of numbers) {
    const injection = ranked[number % placeLimit]
    if (injection) sorted.push(injection)
  }
  return sorted
}
