import type { Fit, Injection } from "../core/value.ts"
import { fewestGone } from "./cut-search.ts"
import type { Draft } from "./draft.ts"
import { summaryOf } from "./draft-summary.ts"
import type { FitState, Goal, Tryout } from "./fit-state.ts"
import { namesOf } from "./landing.ts"
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
  const places = new RunPlaces(state.draft, summary, run)
  let tried: { readonly count: number; readonly draft: Draft } | undefined
  const tryFirst = (count: number): Draft => {
    if (tried?.count !== count) tried = { count, draft: places.withoutFirst(count) }
    return tried.draft
  }
  const over = summary.totalOwnTokens - state.budgetTokens
  const first = fewestGone(places.gains, over, (count) => state.excess(tryFirst(count))) ?? run.length
  for (let count = first; count <= run.length; count++) {
    const dropped = run.slice(0, count)
    const keys = new Set(dropped.map(({ key }) => key))
    const tryout = firstsStay(state, keys) ? filtered(state, keys, tryFirst(count)) : state.without(keys)
    if (state.excess(tryout.draft) > 0 && count < run.length) continue
    adoptDrops(state, tryout, { dropped, ownTokens: places.ownTokens }, goalOf)
    return
  }
}

/** What is left, composed already. */
function filtered(state: FitState, gone: ReadonlySet<string>, { messages }: Draft): Tryout {
  const { printed: before } = state.draft
  const printed = { has: (key: string) => before.has(key) && !gone.has(key) }
  return { injections: state.injections.filter(({ key }) => !gone.has(key)), draft: { messages, printed } }
}

/**
 * True where each slot that collects items keeps its first one. What stands between two items belongs to the later one and is
 * the same wherever that stands; only before the first one it is the prompt file's own.
 */
function firstsStay({ injections, draft, options: { file } }: FitState, gone: ReadonlySet<string>): boolean {
  const { slots } = namesOf(file.template.nodes)
  const firsts: { system?: Injection; developer?: Injection } = {}
  for (const injection of injections) {
    const { key, role, priority } = injection
    if (priority >= (firsts[role]?.priority ?? Number.POSITIVE_INFINITY)) continue
    if (draft.printed.has(key) && !slots.has(key)) firsts[role] = injection
  }
  return Object.values(firsts).every(({ key }) => !gone.has(key))
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
