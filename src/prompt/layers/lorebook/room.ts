import type { LoreEntry } from "./lorebook.ts"

/** The room that a prompt has for entries (C15). */
export interface LoreRoom {
  /** The most that all entries may take together, in the unit of `sizeOf`. */
  readonly max: number
  readonly maxEntries?: number | undefined
  sizeOf(entry: LoreEntry): number
  /** True: an entry that is too large is left out alone. False: so is every one that would be left out before it. */
  readonly passOver?: boolean | undefined
}

/**
 * The entries for which there is room. Entries that are to be dropped first go first, then others by the lowest priority, then by the
 * lowest order, then the last of the book; constant ones go last (C15). Those that ignore the budget need no room.
 */
export function fitRoom(
  entered: readonly number[],
  entries: readonly LoreEntry[],
  room: LoreRoom | undefined,
): ReadonlySet<number> {
  if (room === undefined) return new Set(entered)
  const { max, maxEntries = Number.POSITIVE_INFINITY, sizeOf, passOver = false } = room
  const kept = new Set<number>()
  let [size, free] = [0, 0]
  let isFull = false
  for (const at of [...entered].sort((a, b) => byWorth(entries[b], entries[a]) || a - b)) {
    if (entries[at]?.ignoreBudget === true) {
      kept.add(at)
      free++
      continue
    }
    const own = sizeOf(entries[at] as LoreEntry)
    if (isFull) continue
    if (kept.size - free < maxEntries && size + own <= max) {
      kept.add(at)
      size += own
    } else isFull = !passOver
  }
  return kept
}

/** Sorts the entries that are left out first to the front. */
export function byWorth(a: LoreEntry | undefined, b: LoreEntry | undefined): number {
  return classOf(a) - classOf(b) || (a?.priority ?? 0) - (b?.priority ?? 0) || (a?.order ?? 0) - (b?.order ?? 0)
}

function classOf(entry: LoreEntry | undefined): number {
  if (entry?.dropFirst === true) return 0
  return entry?.constant === true || entry?.conditions?.force === "always" ? 2 : 1
}
