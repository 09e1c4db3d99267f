import { type GrownList, growIn, type Memo, memoKind } from "../../../core/memo.ts"
import type { CutRecord, WindowRoom } from "../../../core/span.ts"
import type { Injection, SlotEntry } from "../../../core/value.ts"
import { type MessageCounter, tokensUpTo } from "../tokens/message-counter.ts"
import type { KeyPlaces } from "./draft-items.ts"
import { dropOrder, type Unit } from "./drop-order.ts"

/** Options for the steps in which history is cut. Steps let a provider's cache serve the history over many turns (S16). */
export interface WaterMarks {
  /**
   * The share of the room for history that is filled after a cut, 0 to 1. The rest of the room is the length of a step: cuts are
   * made at its multiples, counted in tokens from the conversation's beginning. Default 0.5.
   */
  readonly lowWater?: number
  /**
   * Tokens that the first request of a turn leaves free for its later requests. The first request's own text that changes from
   * turn to turn is part of them. Default 0.
   */
  readonly reserveTokens?: number
}

const defaultLowWater = 0.5

/** The steps in which a list can be shortened. */
export interface ListSteps {
  /** All units, in the order in which they are dropped. */
  readonly order: readonly Unit[]
  /** By step, the number of units that are dropped. The last step drops all. */
  readonly units: readonly number[]
  /** By step, about the tokens of the units that it drops beyond those of the step before. */
  readonly tokens: readonly number[]
}

/**
 * Finds the steps in which history is cut. They depend on the history and the room alone, and a longer history has the same
 * steps and more, so each turn chooses the same beginning until it no longer fits. `room` is the budget of the request without
 * the text that stays from turn to turn.
 */
export function historySteps(
  injection: Injection,
  { lowWater = defaultLowWater }: WaterMarks,
  { room, counter, memo }: { readonly room: number; readonly counter: MessageCounter; readonly memo: Memo },
): ListSteps {
  const entries = injection.content as readonly SlotEntry[]
  const order = dropOrder(entries, injection.fit, memo)
  const step = Math.max(1, Math.floor((1 - Math.min(Math.max(lowWater, 0), 1)) * Math.max(room, 1)))
  const upTo = tokensUpTo(entries, counter)
  const gone = growIn(counter.memo, goneTokens, order, (unit, before = 0) => before + unitTokens(unit, upTo))
  const units: number[] = []
  const tokens: number[] = []
  let before = 0
  for (const [index, all] of gone.entries()) {
    // The first one behind the next multiple of a step, or the last one.
    if (Math.floor(all / step) === Math.floor(before / step) && index < order.length - 1) continue
    units.push(index + 1)
    tokens.push(all - before)
    before = all
  }
  return { order, units, tokens }
}

/** By first unit of an order, the tokens up to the end of each unit. */
const goneTokens = memoKind<Unit, GrownList<Unit, number>>()

/** Tokens of a unit's values. `upTo` holds the tokens of the list up to the end of each entry. */
export function unitTokens(unit: Unit | undefined, upTo: readonly number[]): number {
  if (!unit) return 0
  return (upTo[unit.at + unit.size - 1] ?? 0) - (unit.at === 0 ? 0 : (upTo[unit.at - 1] ?? 0))
}

/** Tells what the steps of a cut history leave free of a budget, beside the tokens of the request (S16). */
export function roomOf(
  fitted: { readonly cut: CutRecord; turnTokens(): number },
  { budgetTokens = 0, places, history }: { budgetTokens?: number | undefined; places: KeyPlaces; history: WaterMarks },
  tokens: number,
): WindowRoom | undefined {
  const { lowWater = defaultLowWater, reserveTokens = 0 } = history
  const freeTokens = budgetTokens - tokens
  const cut = freeTokens > 0 && lowWater < 1 && places.of.has("history") ? fitted.cut.history : undefined
  if (cut === undefined || !("entries" in cut)) return undefined
  const reservedTokens = Math.min(freeTokens, Math.max(0, reserveTokens && reserveTokens - fitted.turnTokens()))
  return { budgetTokens, freeTokens, reservedTokens, reason: cutInSteps }
}

const cutInSteps = "history is cut in steps, so that a provider's cache serves its beginning over many turns"
