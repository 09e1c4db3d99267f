import { commonStart, type Memo, memoKind } from "../../../core/memo.ts"
import type { FitRule, SlotEntry } from "../../../core/value.ts"

/** Entries that stay or go together: an entry and those that answer it. */
export interface Unit {
  /** The index of its first entry. */
  readonly at: number
  /** Its number of entries. */
  readonly size: number
}

/**
 * The units of a list in the order in which they are dropped. With scores: the lowest score of a first entry first, equal ones
 * oldest first. Without: oldest first, but the model's answers before the user's message that they answer. The place of a unit
 * depends on nothing later than the next message of the user, so a growing list keeps its order. Read the order at once: that of
 * a later list with the same first entry may change it.
 */
export function dropOrder(entries: readonly SlotEntry[], fit: FitRule | undefined, memo: Memo): readonly Unit[] {
  const scores = fit?.scores
  if (!scores) return answersFirst(entries, memo)
  return unitsFrom(entries, 0).sort((a, b) => (scores[a.at] ?? 0) - (scores[b.at] ?? 0) || a.at - b.at)
}

function unitsFrom(entries: readonly SlotEntry[], from: number): Unit[] {
  const units: Unit[] = []
  for (let at = from, end = from + 1; at < entries.length; at = end, end++) {
    while (entries[end]?.answers === true) end++
    units.push({ at, size: end - at })
  }
  return units
}

/** The order of a list, and how much of it does not change while the entry after the first `settled` ones stays. */
interface SettledOrder {
  readonly entries: readonly SlotEntry[]
  readonly settled: number
  readonly order: Unit[]
  readonly settledUnits: number
}

/** By first entry, the list that was ordered last. History grows by a turn and is ordered in each one. */
const settledOrders = memoKind<SlotEntry, SettledOrder>()

function answersFirst(entries: readonly SlotEntry[], memo: Memo): readonly Unit[] {
  const [first] = entries
  if (!first) return []
  const known = memo.get(settledOrders, first)
  const isSettled = known !== undefined && commonStart(known.entries, entries) > known.settled
  // The list goes on where it was settled.
  const order: Unit[] = isSettled ? known.order : []
  order.length = isSettled ? known.settledUnits : 0
  let question: Unit | undefined
  let settled = { settled: 0, settledUnits: 0 }
  for (const unit of unitsFrom(entries, isSettled ? known.settled : 0)) {
    const role = entries[unit.at]?.role
    if (question && role !== "assistant") {
      order.push(question)
      question = undefined
    }
    if (question === undefined) settled = { settled: unit.at, settledUnits: order.length }
    if (role === "user") question = unit
    else order.push(unit)
  }
  if (question) order.push(question)
  memo.set(settledOrders, first, { entries, order, ...settled })
  return order
}
