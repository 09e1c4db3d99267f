import type { Injection, SlotEntry } from "../../core/value.ts"
import { type MessageCounter, tokensUpTo } from "../tokens/counted-message.ts"
import { dropOrder, type Unit } from "./drop-order.ts"
import { type Gains, gainsOf } from "./search.ts"

/** How history gives way: in steps, so that a provider's cache serves it over many turns (S16). */
export interface WaterMarks {
  /**
   * What is left of the room for history after a cut, as a share of it: the cut begins at a multiple of the rest, counted in
   * tokens from the conversation's beginning. Default 0.5.
   */
  readonly lowWater?: number
  /**
   * Tokens that the first request of a turn leaves free for what comes in its later ones and for turns that need more. What
   * changes from turn to turn counts against it. Default 0.
   */
  readonly reserveTokens?: number
}

const defaultLowWater = 0.5

/** The places where history may begin: after so many of its units, in the order in which they go. */
export interface HistorySteps {
  readonly order: readonly Unit[]
  /** By step, the number of units that are left out; the last step leaves out all. */
  readonly units: readonly number[]
  readonly gains: Gains
}

/**
 * The steps in which history gives way. A function of the history and the room alone, and a longer history has the same steps
 * and more: turn after turn chooses the same beginning until it no longer fits. `room` is what the request has beside what
 * stays from turn to turn.
 */
export function historySteps(
  injection: Injection,
  { lowWater = defaultLowWater }: WaterMarks,
  { room, counter }: { readonly room: number; readonly counter: MessageCounter },
): HistorySteps {
  const entries = injection.content as readonly SlotEntry[]
  const order = dropOrder(entries, injection.fit)
  const step = Math.max(1, Math.floor((1 - Math.min(Math.max(lowWater, 0), 1)) * Math.max(room, 1)))
  const upTo = tokensUpTo(entries, counter)
  const units: number[] = []
  const tokens: number[] = []
  let gone = 0
  let stepGains = 0
  /** The multiple of a step that comes next. */
  let mark = step
  for (let index = 0; index < order.length; index++) {
    const own = unitTokens(order[index], upTo)
    gone += own
    stepGains += own
    if (gone < mark && index < order.length - 1) continue
    mark = (Math.floor(gone / step) + 1) * step
    units.push(index + 1)
    tokens.push(stepGains)
    stepGains = 0
  }
  return { order, units, gains: gainsOf(tokens) }
}

/** Tokens of a unit's values, from those of the entries up to each. */
export function unitTokens(unit: Unit | undefined, upTo: readonly number[]): number {
  if (!unit) return 0
  return (upTo[unit.at + unit.size - 1] ?? 0) - (unit.at === 0 ? 0 : (upTo[unit.at - 1] ?? 0))
}
