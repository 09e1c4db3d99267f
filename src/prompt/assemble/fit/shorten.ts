import type { CutSize } from "../../../core/span.ts"
import { type Injection, isText, type SlotEntry } from "../../../core/value.ts"
import { cutOf } from "../../encode/marked-text.ts"
import { apart, tokensUpTo } from "../tokens/message-counter.ts"
import { TextSlices } from "../tokens/text-slices.ts"
import { dropOrder, type Unit } from "./drop-order.ts"
import { type FitState, type Goal, type Tryout, turnRoom } from "./fit-state.ts"
import { fewestGone, firstWith, gainsOf, largestSize } from "./search.ts"
import { dropUnits, type ShrunkInjection, shrinkTo, sizeOf } from "./shrink.ts"
import { historySteps, type ListSteps, unitTokens } from "./water-marks.ts"

/** Shortens a printed injection no more than the goal needs, at most to its minimum; true if tokens were saved. */
export function shorten(state: FitState, whole: Injection, goal: Goal): boolean {
  const found = Array.isArray(whole.content) ? shortList(state, whole, goal) : shortText(state, whole, goal)
  return found !== undefined && state.adopt(found.tryout, goal, () => [{ key: whole.key, cut: found.cut, reason: goal.reason }])
}

/** A shorter form, and how it was made. */
interface ShortForm {
  readonly tryout: Tryout
  readonly cut: CutSize
}

/** Makes forms of an injection by size. The last one is kept, because it is usually the one chosen. */
function tryouts(state: FitState, make: (size: number) => ShrunkInjection): (size: number) => ShortForm {
  let last: { readonly size: number; readonly short: ShortForm } | undefined
  return (size) => {
    if (last?.size === size) return last.short
    const { injection, cut } = make(size)
    last = { size, short: { tryout: state.tryout(injection), cut } }
    return last.short
  }
}

/**
 * Cuts a history that is far too long before the prompt is composed, so that its oldest part is never composed. It cuts at the
 * first step after which the request fits, as far as steps tell that. No injection may have a ceiling, which could make room.
 */
export function shortenHistoryAhead(state: FitState, whole: Injection, reason: string): void {
  const { budgetTokens = Number.POSITIVE_INFINITY } = state.options
  const own = tokensUpTo(whole.content as readonly SlotEntry[], state.counter).at(-1) ?? 0
  if (own <= budgetTokens * plainly) return
  const steps = stepsOf(state, whole)
  const at = tryouts(state, (count) => dropUnits(whole, steps.order, steps.units[count - 1] ?? 0, state.notices))
  const gains = gainsOf(steps.tokens)
  const over = own + state.lastingTokens() + state.turnValueTokens() - budgetTokens
  let count = 1
  while (count < steps.units.length && gains.upTo(count) < over) count++
  let short = at(count)
  if (!short.tryout.draft.printed.has(whole.key)) return
  while (state.totalTokens(short.tryout.draft) + (steps.tokens[count - 1] ?? 0) / plainly <= budgetTokens) {
    // There may be room for what this step dropped.
    if (count === 1) return
    const longer = at(count - 1)
    if (state.totalTokens(longer.tryout.draft) > budgetTokens) break
    short = longer
    count--
  }
  state.cutAhead(short.tryout, own, { key: whole.key, cut: short.cut, reason })
}

/** A factor above 1 that covers the error of adding up texts that were counted one by one. */
const plainly = 1.25

function shortList(state: FitState, whole: Injection, goal: Goal): ShortForm | undefined {
  const steps = stepsOf(state, whole)
  const at = tryouts(state, (count) => dropUnits(whole, steps.order, steps.units[count - 1] ?? 0, state.notices))
  const most = mostSteps(state, whole, steps.units.length, at)
  const cut = state.cutOf(whole.key)
  const left = cut && "entries" in cut ? cut.entries : undefined
  const before = left === undefined ? 0 : steps.units.filter((units) => leftAfter(whole, steps.order, units) >= left).length
  if (before >= most) return undefined
  const gains = gainsOf(steps.tokens.slice(before, most))
  const first = gains.next(0, goal.excess(state.draft))
  const found = fewestGone(gains, first, (count) => goal.excess(at(before + count).tryout.draft))
  return at(found === undefined ? most : before + found)
}

/** The steps of a list. Those of the list that was asked for last are kept. */
function stepsOf(state: FitState, whole: Injection): ListSteps {
  if (state.listSteps?.whole !== whole) state.listSteps = { whole, steps: findSteps(state, whole) }
  return state.listSteps.steps
}

function findSteps(state: FitState, whole: Injection): ListSteps {
  const { budgetTokens, history } = state.options
  if (whole.key === "history" && budgetTokens !== undefined) {
    const lasting = Math.min(state.lastingTokens(), budgetTokens - turnRoom(state.options))
    const room = budgetTokens - (history.reserveTokens ?? 0) - lasting
    return historySteps(whole, history, { room, counter: state.counter, memo: state.options.memo })
  }
  const entries = whole.content as readonly SlotEntry[]
  const order = dropOrder(entries, whole.fit, state.options.memo)
  const upTo = tokensUpTo(entries, state.counter)
  const tokens = order.map((unit) => unitTokens(unit, upTo))
  return { order, units: order.map((_, index) => index + 1), tokens }
}

/** The number of entries that are left after `units` units were dropped. */
function leftAfter({ content }: Injection, order: readonly Unit[], units: number): number {
  const gone = order.slice(0, units).reduce((sum, { size }) => sum + size, 0)
  return (content as readonly SlotEntry[]).length - gone
}

/** The number of steps after which the reserved tokens of content are still there. */
function mostSteps(state: FitState, { key, fit }: Injection, all: number, at: (count: number) => ShortForm): number {
  const minTokens = fit?.minTokens ?? 0
  if (minTokens <= 0) return all
  const lacks = (count: number) => minTokens - contentTokens(state, key, at(count).tryout)
  return largestSize({ least: 0, most: all, guess: all - 1 }, (count) => (count === 0 ? 0 : lacks(count)))
}

function shortText(state: FitState, whole: Injection, goal: Goal): ShortForm | undefined {
  const { key, fit } = whole
  const learn = learner(state, whole)
  const at = tryouts(state, (size) => {
    const shrunk = shrinkTo(whole, size, state.notices)
    learn(shrunk.injection)
    return shrunk
  })
  const cut = state.cutOf(key)
  const most = (cut && "characters" in cut ? Math.min(cut.characters, sizeOf(whole)) : sizeOf(whole)) - 1
  const minTokens = fit?.minTokens ?? 0
  const lacks = (size: number) => minTokens - contentTokens(state, key, at(size).tryout)
  const least = minTokens <= 0 ? 0 : firstWith(most + 1, (size) => lacks(size) <= 0)
  if (least > most) return undefined
  // The excess comes off the text's tokens, and its length shrinks in proportion.
  const own = state.ownTokens(key)
  const share = own === 0 ? 0 : Math.max(0, 1 - goal.excess(state.draft) / own)
  const guess = Math.floor(sizeOf(whole) * share)
  return at(largestSize({ least, most, guess }, (size) => goal.excess(at(size).tryout.draft)))
}

/** Counts the cut forms of a text from the pieces of the whole text, so that each new size costs little. */
function learner({ counter }: FitState, { content }: Injection): (shrunk: Injection) => void {
  const text = typeof content === "string" ? content : typeof content === "object" && isText(content) ? content.text : ""
  const slices = counter.store ? new TextSlices(text, counter.store) : undefined
  return ({ content: shorter }) => {
    const cut = typeof shorter === "object" && isText(shorter) ? cutOf(shorter) : undefined
    if (!slices || !cut || !text.startsWith(cut.head) || !text.endsWith(cut.tail)) return
    slices.learnHead(cut.head.length)
    slices.learnTail(text.length - cut.tail.length)
  }
}

function contentTokens({ counter }: FitState, key: string, { draft }: Tryout): number {
  let tokens = 0
  for (const { pieces } of draft.messages)
    for (const piece of apart(pieces)) if (piece.key === key && piece.part === "content") tokens += counter.part(piece).tokens
  return tokens
}
