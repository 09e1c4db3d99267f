import type { Entry, Fit } from "../core/value.ts"

/** Entries that stay or go together: one, and those that answer it. */
export interface Unit {
  /** Where it begins in the list, and how many entries it has. */
  readonly at: number
  readonly size: number
}

/**
 * The units of a list in the order in which they go: by their first entry's score, equal ones oldest first; without scores
 * oldest first, but the model's answers before the user's message that they answer. It depends on nothing that comes later
 * than the next message of the user, so that a list that grows goes on in the same order.
 */
export function dropOrder(entries: readonly Entry[], fit: Fit | undefined): Unit[] {
  const units = unitsOf(entries)
  const scores = fit?.scores
  if (scores) return units.sort((a, b) => (scores[a.at] ?? 0) - (scores[b.at] ?? 0) || a.at - b.at)
  return answersFirst(units, entries)
}

function unitsOf(entries: readonly Entry[]): Unit[] {
  const units: Unit[] = []
  for (let at = 0, end = 1; at < entries.length; at = end, end++) {
    while (entries[end]?.answers === true) end++
    units.push({ at, size: end - at })
  }
  return units
}

function answersFirst(units: readonly Unit[], entries: readonly Entry[]): Unit[] {
  const order: Unit[] = []
  let question: Unit | undefined
  for (const unit of units) {
    const role = entries[unit.at]?.role
    if (question && role !== "assistant") {
      order.push(question)
      question = undefined
    }
    if (role === "user") question = unit
    else order.push(unit)
  }
  if (question) order.push(question)
  return order
}
