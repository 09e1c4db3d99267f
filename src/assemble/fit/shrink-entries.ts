import type { CutSize } from "../../core/span.ts"
import type { Entry, Injection } from "../../core/value.ts"
import { noticeEntry } from "../cut/notice.ts"
import { dropOrder, type Unit } from "./drop-order.ts"
import type { Notices, Shrunk } from "./shrunk.ts"

/** A list of which the first `units` in its drop order are left out, a notice in their place. */
export function dropUnits(injection: Injection, order: readonly Unit[], units: number, notices: Notices): Shrunk {
  const entries = injection.content as readonly Entry[]
  const isGone = new Uint8Array(entries.length)
  let dropped = 0
  for (let index = 0; index < units; index++) {
    const unit = order[index]
    if (!unit) break
    for (let at = unit.at; at < unit.at + unit.size; at++) isGone[at] = 1
    dropped += unit.size
  }
  const cut = { entries: entries.length - dropped, of: entries.length }
  if (dropped === 0) return { injection, cut }
  const byScore = injection.fit?.scores !== undefined
  const content = [noticeEntry(notices.entriesDropped({ dropped, total: entries.length, byScore }))]
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]
    if (entry && isGone[index] === 0) content.push(entry)
  }
  return { injection: { ...injection, content }, cut }
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
