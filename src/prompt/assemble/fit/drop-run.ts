import type { Injection } from "../../../core/value.ts"
import { templateNames } from "../../dialect/dialect.ts"
import type { Draft } from "../draft/draft.ts"
import type { DraftItems, NumberRange } from "./draft-items.ts"
import { type FitState, type Goal, isDrop, type Tryout } from "./fit-state.ts"
import { fewestGone, firstWith, type Gains } from "./search.ts"

/** The number after the last of the injections from number `from` on that have no slot or condition of their own and can only be dropped, each by itself. */
export function plainDropsEnd(state: FitState, from: number): number {
  const { order, named } = state.ranked
  let end = from
  while (end < order.length && named[end] === 0 && isDrop(order[end]) && state.items().prints(end)) end++
  return end
}

/**
 * Drops the first injections of a run of plain drops, as few as needed. The number is found by counting the composed draft
 * without their pieces. The draft is composed anew only if the first item of a slot is dropped.
 */
export function dropRun(state: FitState, run: NumberRange, goalOf: (state: FitState, injection: Injection) => Goal): void {
  const { from, to } = run
  const items = state.items()
  let tried: { readonly count: number; readonly draft: Draft } | undefined
  const tryFirst = (count: number): Draft => {
    if (tried?.count !== count) tried = { count, draft: items.without({ from, to: from + count }) }
    return tried.draft
  }
  const gains = runGains(items, run)
  let others = items.own(state.ranked.order.length)
  for (let number = 0; number < state.ranked.order.length; number++)
    if (number < from || number >= to) others += items.own(number)
  const most = to - from
  const enough = fewestGone(gains, gains.atMost(state.budgetTokens - others), (count) => state.excess(tryFirst(count))) ?? most
  for (let count = enough; count <= most; count++) {
    const isGone = (key: string): boolean => {
      const number = items.numberOf(key)
      return number >= from && number < from + count
    }
    const tryout = firstsStay(state, isGone) ? filtered(state, isGone, tryFirst(count)) : state.without(isGone)
    if (state.excess(tryout.draft) > 0 && count < most) continue
    const last = state.ranked.order[from + count - 1]
    const dropped = () =>
      state.ranked.order
        .slice(from, from + count)
        .map((one) => ({ key: one.key, cut: wholly, reason: goalOf(state, one).reason }))
    if (last) state.adopt(tryout, goalOf(state, last), dropped)
    return
  }
}

const wholly = { dropped: true } as const

/** The number of items that are counted together to learn how many tokens an item loses at its seams. */
const sampled = 16

/** The tokens that an item has fewer among others than by itself, measured on the last items of a long run. A hint for the search. */
function seamLoss(items: DraftItems, { from, to }: NumberRange): number {
  if (to - from < sampled * 8) return 0
  let own = 0
  for (let number = to - sampled; number < to; number++) own += items.own(number)
  return (own - items.together({ from: to - sampled, to })) / sampled
}

/** Gains of a run, of which only the items that stay, and a few more, are ever counted. */
interface RunGains extends Gains {
  /** The fewest items of the run that have to go so that those that stay have about `tokens` at most. */
  atMost(tokens: number): number
}

function runGains(items: DraftItems, run: NumberRange): RunGains {
  const loss = seamLoss(items, run)
  const length = run.to - run.from
  // By number of last items of the run, about their tokens.
  const last = [0]
  const ofLast = (count: number): number => {
    for (let next = last.length; next <= count; next++)
      last.push((last[next - 1] ?? 0) + Math.max(0, items.own(run.to - next) - loss))
    return last[count] ?? 0
  }
  const atMost = (tokens: number): number => {
    let known = last.length - 1
    while (known < length && ofLast(known) <= tokens) known++
    return length - Math.max(0, firstWith(known + 1, (count) => count > known || ofLast(count) > tokens) - 1)
  }
  return {
    length,
    atMost,
    next: (count, over) => atMost(ofLast(length - count) - over),
    atLeast: (index) => items.least(run.from + index),
  }
}

/** The tryout whose draft is known already. */
function filtered(state: FitState, isGone: (key: string) => boolean, { messages }: Draft): Tryout {
  const { injections } = state
  const { printed: before } = state.draft
  const printed = { has: (key: string) => before.has(key) && !isGone(key) }
  return { injections: () => injections.filter(({ key }) => !isGone(key)), draft: { messages, printed } }
}

/**
 * True if each collecting slot keeps its first item. The white space between two items belongs to the later one and stays the
 * same wherever that stands; only the white space before the first item is the prompt file's own. The slot of an item depends
 * on its role and on whether its scope is global, so the first item of each such kind is checked.
 */
function firstsStay({ injections, draft, options: { file } }: FitState, isGone: (key: string) => boolean): boolean {
  const { slots } = templateNames(file.template.nodes)
  const firsts: Injection[] = []
  for (const injection of injections) {
    const { key, role, scope, priority } = injection
    const kind = (role === "developer" ? 2 : 0) + (scope === "global" ? 1 : 0)
    if (priority >= (firsts[kind]?.priority ?? Number.POSITIVE_INFINITY)) continue
    if (draft.printed.has(key) && !slots.has(key)) firsts[kind] = injection
  }
  return firsts.every(({ key }) => !isGone(key))
}
