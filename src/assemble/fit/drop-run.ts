import type { Fit, Injection } from "../../core/value.ts"
import type { Draft } from "../draft/draft.ts"
import { summaryOf } from "../draft/draft-summary.ts"
import { namesOf } from "../print/landing.ts"
import { fewestGone } from "./cut-search.ts"
import type { FitState, Goal, Tryout } from "./fit-state.ts"
import { RunPlaces } from "./run-places.ts"

/** The injections from one on that stand in the rest slot, are on no condition, and can only be dropped, each by itself. */
export function plainDropsFrom(
  order: readonly Injection[],
  from: number,
  { options: { file }, draft: { printed } }: FitState,
): readonly Injection[] {
  const { all: named } = namesOf(file.template.nodes)
  const isPlain = ({ key, fit }: Injection): boolean => isDrop(fit) && !named.has(key) && printed.has(key)
  let end = from
  for (let injection = order[end]; injection && isPlain(injection); injection = order[end]) end++
  return order.slice(from, end)
}

function isDrop(fit: Fit | undefined): boolean {
  return fit?.shrink === "drop" && fit.group === undefined && (fit.minTokens ?? 0) <= 0
}

/**
 * Drops the first ones of a run of plain drops, as few as it takes. How many is found by counting what is composed without
 * their pieces; it is composed anew only where the first item of a slot goes.
 */
export function dropRun(
  state: FitState,
  run: readonly Injection[],
  goalOf: (state: FitState, injection: Injection) => Goal,
): void {
  const summary = summaryOf(state.draft, state.counter)
  const places = new RunPlaces(run, { draft: state.draft, summary, places: state.options.places })
  let tried: { readonly count: number; readonly draft: Draft } | undefined
  const tryFirst = (count: number): Draft => {
    if (tried?.count !== count) tried = { count, draft: places.withoutFirst(count) }
    return tried.draft
  }
  const loss = seamLoss(state, places)
  const over = summary.totalOwnTokens - loss * run.length - state.budgetTokens
  const first = fewestGone(places.gains(loss), over, (count) => state.excess(tryFirst(count))) ?? run.length
  for (let count = first; count <= run.length; count++) {
    const dropped = run.slice(0, count)
    const isGone = (key: string) => places.isOfFirst(key, count)
    const tryout = firstsStay(state, isGone) ? filtered(state, isGone, tryFirst(count)) : state.without(isGone)
    if (state.excess(tryout.draft) > 0 && count < run.length) continue
    adoptDrops(state, tryout, { dropped, ownTokens: places.ownTokens }, goalOf)
    return
  }
}

/** So many items of a run are counted together to learn what their neighbours take from them. */
const sampled = 16

/** By how many tokens an item counts less among others than by itself, as the last few of a long run show; it says where to ask first. */
function seamLoss(state: FitState, places: RunPlaces): number {
  const { length } = places.ownTokens
  if (length < sampled * 8) return 0
  const [more, fewer] = [length - sampled * 2, length - sampled]
  const own = places.ownTokens.slice(more, fewer).reduce((sum, tokens) => sum + tokens, 0)
  return (own - state.excess(places.withoutFirst(more)) + state.excess(places.withoutFirst(fewer))) / sampled
}

/** What is left, composed already. */
function filtered(state: FitState, isGone: (key: string) => boolean, { messages }: Draft): Tryout {
  const { printed: before } = state.draft
  const printed = { has: (key: string) => before.has(key) && !isGone(key) }
  return { injections: state.injections.filter(({ key }) => !isGone(key)), draft: { messages, printed } }
}

/**
 * True where each slot that collects items keeps its first one. What stands between two items belongs to the later one and is
 * the same wherever that stands; only before the first one it is the prompt file's own. Which slot an item is in depends on its
 * role and on whether it ever changes, so the first one of each such kind is asked for.
 */
function firstsStay({ injections, draft, options: { file } }: FitState, isGone: (key: string) => boolean): boolean {
  const { slots } = namesOf(file.template.nodes)
  const firsts: Injection[] = []
  for (const injection of injections) {
    const { key, role, scope, priority } = injection
    const kind = (role === "developer" ? 2 : 0) + (scope === "global" ? 1 : 0)
    if (priority >= (firsts[kind]?.priority ?? Number.POSITIVE_INFINITY)) continue
    if (draft.printed.has(key) && !slots.has(key)) firsts[kind] = injection
  }
  return firsts.every(({ key }) => !isGone(key))
}

const wholly = { dropped: true } as const

function adoptDrops(
  state: FitState,
  tryout: Tryout,
  { dropped, ownTokens }: { readonly dropped: readonly Injection[]; readonly ownTokens: readonly number[] },
  goalOf: (state: FitState, injection: Injection) => Goal,
): void {
  const [last] = dropped.slice(-1)
  if (!last) return
  const steps = dropped.map((injection, place) => ({
    key: injection.key,
    cut: wholly,
    reason: goalOf(state, injection).reason,
    fromTokens: ownTokens[place] ?? 0,
  }))
  state.adopt(tryout, goalOf(state, last), steps)
}
