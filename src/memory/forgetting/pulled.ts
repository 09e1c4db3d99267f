import { decodePath } from "../../prompt/encode/file-reference.ts"
import { shorten } from "../services/shorten-by-rule.ts"
import type { Moment } from "./decay.ts"

/** A file or a piece of information by its name. */
export interface NamedItem {
  /** A file's path, or the name of the information. */
  readonly id: string
  readonly kind: "file" | "reference"
  /** A summary, or the information itself. */
  readonly text: string
}

/** Information that was looked at once and is now only named (R22), with a summary in one line: plain JSON. */
export interface PulledItem extends NamedItem {
  readonly pulled: Moment
}

/** How long pulled information stays. */
export interface PulledSettings {
  /** An item is collected when more turns have passed since it was pulled. */
  readonly keepTurns: number
  /** Of more items the oldest are collected. */
  readonly maxItems: number
  /** The most characters of a summary. */
  readonly summaryCharacters: number
}

export const defaultPulled: PulledSettings = { keepTurns: 6, maxItems: 20, summaryCharacters: 80 }

/** The path in a `%[path]` (R8). Any other text is its own path. */
export function markedPath(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith("%[") && trimmed.endsWith("]") ? decodePath(trimmed.slice(2, -1)) : trimmed
}

/** Adds an item with a summary of its text in one line. The model sees the whole text only once (R22). */
export function pull(
  items: readonly PulledItem[],
  { id, kind, text }: NamedItem,
  { now, settings }: { readonly now: Moment; readonly settings: PulledSettings },
): readonly PulledItem[] {
  const summary = shorten(text.replace(/\s+/g, " "), settings.summaryCharacters)
  const others = items.filter((item) => item.id !== id)
  return [...others, { id, kind, text: summary, pulled: now }].slice(-settings.maxItems)
}

/** The ids of items to collect at the beginning of a turn (R22). */
export function stalePulled(items: readonly PulledItem[], now: Moment, settings: PulledSettings): readonly string[] {
  const surplus = Math.max(0, items.length - settings.maxItems)
  return items.filter(({ pulled }, at) => at < surplus || now.turn - pulled.turn > settings.keepTurns).map(({ id }) => id)
}
