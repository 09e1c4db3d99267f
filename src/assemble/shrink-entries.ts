import type { CutSize } from "../core/span.ts"
import type { Entry, Injection } from "../core/value.ts"
import { dropOrder, type Unit } from "./drop-order.ts"
import { noticeEntry } from "./notice.ts"
import type { Notices, Shrunk } from "./shrunk.ts"

/** A list of which the first `units` in its drop order are left out, a notice in their place. */
export function dropUnits(injection: Injection, order: readonly Unit[], units: number, notices: Notices): Shrunk {
  const entries = injection.content as readonly Entry[]
  const gone = new Set<number>()
  for (const { at, size } of order.slice(0, units)) for (let index = at; index < at + size; index++) gone.add(index)
  const cut = { entries: entries.length - gone.size, of: entries.length }
  if (gone.size === 0) return { injection, cut }
  const notice = noticeEntry(notices.entriesDropped({ dropped: gone.size, total: entries.length }))
  const kept = entries.filter((_, index) => !gone.has(index))
  return { injection: { ...injection, content: [notice, ...kept] }, cut }
}

/** What an earlier step of the turn left out is left out again; what the list has grown by since then stays. */
export function dropAgain(
  injection: Injection,
  cut: Extract<CutSize, { entries: number }>,
  notices: Notices,
): Shrunk | undefined {
  const entries = injection.content as readonly Entry[]
  const then = Math.min(cut.of ?? entries.length, entries.length)
  const order = dropOrder(entries.slice(0, then), injection.fit)
  let units = 0
  for (let left = then; units < order.length; units++) {
    left -= order[units]?.size ?? 0
    if (left < cut.entries) break
  }
  return units === 0 ? undefined : dropUnits(injection, order, units, notices)
}
