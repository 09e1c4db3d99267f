import type { HistoryMessage } from "../core/history.ts"

/** How history is shortened to a window (T30, S16). */
export interface HistoryWindow {
  /** Messages to show: exactly the last so many when it slides, at least so many when it moves in steps. */
  readonly contextCount: number
  /** `slide` moves with every message; `steps` moves by whole windows, so that a provider's cache holds in between. */
  readonly window: "slide" | "steps"
}

/**
 * The messages a turn shows, blank ones skipped. Steps begin at multiples of `contextCount` counted from the
 * conversation's beginning, of which `earlier` spoken ones are not in `history`, so between `contextCount` and twice that are shown and the beginning rarely moves.
 */
export function historyWindow(
  history: readonly HistoryMessage[],
  { contextCount, window }: HistoryWindow,
  earlier = 0,
): readonly HistoryMessage[] {
  const spoken = history.filter(({ text }) => text.trim() !== "")
  if (contextCount <= 0) return []
  if (window === "slide") return spoken.slice(-contextCount)
  const begin = Math.max(0, Math.floor((earlier + spoken.length - contextCount) / contextCount)) * contextCount
  return spoken.slice(Math.max(0, begin - earlier))
}
