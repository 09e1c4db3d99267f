import { PromptStrataError } from "../../../core/errors.ts"
import type { Injection } from "../../../core/value.ts"
import { type PromptFile, templateNames } from "../../dialect/dialect.ts"
import { slotOf } from "../../layers/combine-injections.ts"
import type { Draft } from "../draft/draft.ts"
import type { KeyPlaces, RankOrder } from "./draft-items.ts"
import { dropRun, plainDropsEnd } from "./drop-run.ts"
import { type FitOptions, FitState, type FittedDraft, type Goal, isLasting, turnRoom } from "./fit-state.ts"
import { shorten, shortenHistoryAhead } from "./shorten.ts"
import { canShorten } from "./shrink.ts"

/**
 * Shrinks injections until the composed prompt is within the budget (S13). The lowest rank shrinks first; equal ranks go in
 * the order given. An injection is shortened no more than needed, at most to its minimum. If that is not enough and it has no
 * minimum (`minTokens`), it is dropped with all injections of its `group`. Only then comes the next rank. Ceilings (`maxTokens`) hold even when there is
 * room. Deterministic.
 * @throws PromptStrataError `budget`, with the smallest possible budget and the largest items, if nothing is left to shrink.
 */
export function fit(injections: readonly Injection[], options: FitOptions): FittedDraft {
  const ranked = rankOrder(injections, options)
  const state = withLastingCut(injections, ranked, options)
  cutLongHistory(state, ranked.order)
  for (const injection of injections) holdCeiling(state, injection)
  holdReserve(state, injections)
  giveWay(state)
  if (!state.fits()) throw impossible(state, injections, options)
  return state
}

/**
 * Begins to fit. What stays from turn to turn and is more than its room is cut first, as if there were no turn, so that each turn cuts it
 * alike (S13).
 */
function withLastingCut(injections: readonly Injection[], ranked: RankOrder, options: FitOptions): FitState {
  const state = new FitState(injections, ranked, options)
  const keptTokens = turnRoom(options)
  const budgetTokens = state.budgetTokens - keptTokens
  if (options.cut || keptTokens === 0 || state.lastingTokens() <= budgetTokens) return state
  const lasting = injections.filter(isLasting)
  const { of, count } = options.places
  const own = { ...options, budgetTokens, keptTokens, history: {}, places: { of, count } }
  const alone = new FitState(lasting, rankOrder(lasting, own), own)
  for (const injection of lasting) holdCeiling(alone, injection)
  giveWay(alone)
  return alone.fits() ? new FitState(injections, ranked, { ...options, lastingSteps: alone.steps }) : state
}

/** Lets injections give way by rank until the request fits, or nothing is left that may. */
function giveWay(state: FitState): void {
  const { order } = state.ranked
  for (let index = 0; index < order.length && !state.fits(); ) {
    const end = plainDropsEnd(state, index)
    const injection = order[index]
    if (end > index + 1) dropRun(state, { from: index, to: end }, budgetGoal)
    else if (injection) reach(state, injection, budgetGoal(state, injection))
    index = Math.max(end, index + 1)
  }
}

/** The goal of fitting: a request within the budget. */
function budgetGoal(state: FitState, injection: Injection): Goal {
  const { keptTokens } = state.options
  const rank = injection.fit?.rank ?? 0
  const reasonAlone = `over budget with ${keptTokens} tokens kept free for the turn, and rank ${rank} is the lowest left`
  return {
    reason: keptTokens === undefined ? `over budget, and rank ${rank} is the lowest left` : reasonAlone,
    excess: (draft: Draft) => state.excess(draft),
  }
}

function holdCeiling(state: FitState, injection: Injection): void {
  const { key } = injection
  const maxTokens = injection.fit?.maxTokens
  if (maxTokens === undefined) return
  reach(state, injection, {
    reason: `more than its ceiling of ${maxTokens} tokens`,
    excess: (draft) => state.ownTokens(key, draft) - maxTokens,
  })
}

/** Cuts history before anything is composed, if it has the lowest rank and is longer than the whole budget, and no ceiling may make room. */
function cutLongHistory(state: FitState, [first]: readonly Injection[]): void {
  const { budgetTokens, cut = {} } = state.options
  if (first?.key !== "history" || !Array.isArray(first.content) || budgetTokens === undefined || !canShorten(first)) return
  const isPlain = (first.fit?.minTokens ?? 0) <= 0 && state.injections.every(({ fit }) => fit?.maxTokens === undefined)
  if (isPlain && !Object.hasOwn(cut, "history")) shortenHistoryAhead(state, first, budgetGoal(state, first).reason)
}

/** Shortens history in the first request of a turn, so that `reserveTokens` are free for what later requests add. */
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

/** Shortens an injection, then drops it, as far as the goal needs it. */
function reach(state: FitState, injection: Injection, goal: Goal): void {
  if (!state.draft.printed.has(injection.key) || goal.excess(state.draft) <= 0) return
  if (canShorten(injection) && shorten(state, injection, goal) && goal.excess(state.draft) <= 0) return
  dropGroup(state, injection, goal)
}

/** Drops an injection and its group, or none of them if one has reserved tokens. */
function dropGroup(state: FitState, { key, fit: rule }: Injection, goal: Goal): void {
  const group = rule?.group
  const printed = state.injections.filter((other) => state.draft.printed.has(other.key))
  const others = printed.filter((other) => other.key !== key && group !== undefined && other.fit?.group === group)
  const reserved = [rule, ...others.map((other) => other.fit)].some((fit) => (fit?.minTokens ?? 0) > 0)
  if (reserved) return
  const keys = [key, ...others.map((other) => other.key)]
  const reasonOf = (dropped: string) => (dropped === key ? goal.reason : `dropped with ${key}, of its group`)
  const steps = () => keys.map((dropped) => ({ key: dropped, cut: { dropped: true } as const, reason: reasonOf(dropped) }))
  const gone = new Set(keys)
  const left = state.without((one) => gone.has(one))
  state.adopt(left, goal, steps)
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
  const message = `expected a prompt of at most ${budgetTokens} tokens; with everything cut that may be cut it still has ${minimumTokens}${estimated}.`
  const hint = `Raise the budget to ${minimumTokens} or more, not counting what is kept for the answer${shorter}.`
  return new PromptStrataError("budget", message, { hint, evidence: { budgetTokens, minimumTokens, largest } })
}

/** The order in which injections shrink. Where only some changed, and each kept its rank, the order of the time before is taken over. */
function rankOrder(injections: readonly Injection[], { places, file }: FitOptions): RankOrder {
  const known = places.ranked
  const order = known?.order.order.slice() ?? []
  let isAlike = known?.injections.length === injections.length && known.file === file
  for (let index = 0; isAlike && index < injections.length; index++) {
    const [injection, other] = [injections[index], known?.injections[index]]
    if (!injection || injection === other) continue
    isAlike = injection.fit?.rank === other?.fit?.rank
    if (injection.fit) order[known?.order.byPlace[places.of.get(injection.key) ?? 0] ?? 0] = injection
  }
  const ranked = known && isAlike ? { ...known.order, order } : rankedAnew(injections, places, file)
  places.ranked = { injections, file, order: ranked }
  return ranked
}

function rankedAnew(injections: readonly Injection[], places: KeyPlaces, file: PromptFile): RankOrder {
  const order = byRank(injections)
  const { all } = templateNames(file.template.nodes)
  const byPlace = new Uint32Array(places.count).fill(order.length)
  const named = new Uint8Array(order.length)
  for (let number = 0; number < order.length; number++) {
    const key = order[number]?.key ?? ""
    const place = places.of.get(key)
    if (place !== undefined) byPlace[place] = number
    if (all.has(slotOf(key))) named[number] = 1
  }
  return { order, places, byPlace, named, drafts: { last: undefined } }
}

/** The injections that may shrink, the lowest rank first, equal ranks in the order given. */
export function byRank(injections: readonly Injection[]): Injection[] {
  return injections.filter(({ fit }) => fit !== undefined).sort((a, b) => (a.fit?.rank ?? 0) - (b.fit?.rank ?? 0))
}
