import { recordOf } from "../../../core/json-access.ts"
import type { LoreEntry } from "./lorebook.ts"

/** For entries that depend on earlier turns: the number of messages when each first came in, and when it last came in. Plain JSON. */
export type LoreState = Readonly<Record<string, { readonly first: number; readonly last: number }>>

/** A turn's place in the time of its conversation, which is counted in messages (C17). */
export interface LoreTime {
  readonly count: number
  readonly state: LoreState
  /** True if the entry was in at an earlier turn. */
  wasIn(entry: LoreEntry): boolean
  /** True while the entry's cooldown runs, which begins when its sticky time ends. */
  isCooling(entry: LoreEntry): boolean
}

/** The time of a turn. State of the same message or a later one, as after a turn was taken back, does not count. */
export function timeOf({
  messages,
  messageCount: count = messages.length,
  state = {},
}: {
  readonly messages: readonly unknown[]
  readonly messageCount?: number | undefined
  readonly state?: LoreState | undefined
}): LoreTime {
  return {
    count,
    state,
    wasIn: ({ id }) => (state[id]?.first ?? count) < count,
    isCooling({ id, sticky = 0, cooldown = 0 }) {
      const last = state[id]?.last ?? count
      return last < count && count < last + sticky + cooldown
    },
  }
}

/** True if an entry is in because it came in a few messages ago and its sticky time is not over. */
export function heldBySticky({ id, sticky = 0 }: LoreEntry, { count, state }: LoreTime): boolean {
  const last = state[id]?.last ?? count
  return last < count && count < last + sticky
}

/** True for an entry that depends on earlier turns. */
export function isTimed({ sticky = 0, cooldown = 0, conditions }: LoreEntry): boolean {
  return sticky + cooldown > 0 || conditions?.onceIn !== undefined
}

/** The state of timed entries after a turn, with what later turns need. */
export function nextState(timed: readonly LoreEntry[], printed: readonly LoreEntry[], time: LoreTime): LoreState {
  const { count, state } = time
  const isIn = new Set(printed)
  const next: Record<string, LoreState[string]> = {}
  for (const entry of timed) {
    const { id, sticky = 0, cooldown = 0, conditions } = entry
    const known = state[id]
    const before = known !== undefined && known.last < count ? known : undefined
    const last = isIn.has(entry) && !heldBySticky(entry, time) ? count : before?.last
    if (last === undefined) continue
    if (conditions?.onceIn === undefined && count >= last + sticky + cooldown) continue
    next[id] = { first: before?.first ?? count, last }
  }
  return next
}

/** Reads the state that a session kept. What is malformed counts as never in. */
export function loreState(kept: unknown): LoreState {
  const entries = Object.entries(recordOf(kept)).flatMap(([id, value]) => {
    const { first, last } = recordOf(value)
    return typeof first === "number" && typeof last === "number" ? [[id, { first, last }] as const] : []
  })
  return Object.fromEntries(entries)
}
