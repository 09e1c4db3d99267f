import { decodePath } from "../encode/file-reference.ts"
import type { Moment } from "./decay.ts"
import { shorten } from "./shorten-by-rule.ts"

/** Something that was looked at once and is now only named (R22): plain JSON. */
export interface PulledItem {
  /** A file's path, or what the information is called. */
  readonly id: string
  readonly kind: "file" | "reference"
  /** In a line. */
  readonly text: string
  readonly pulled: Moment
}

/** How long pulled information stays. */
export interface PulledSettings {
  /** So many turns after it was pulled it is collected. */
  readonly keepTurns: number
  /** Of more the oldest are collected. */
  readonly maxItems: number
  /** How long a summary is. */
  readonly summaryCharacters: number
}

/** The chosen numbers. */
export const defaultPulled: PulledSettings = { keepTurns: 6, maxItems: 20, summaryCharacters: 80 }

/** The path of a `%[path]` (R8); any other text is its own path. */
export function markedPath(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith("%[") && trimmed.endsWith("]") ? decodePath(trimmed.slice(2, -1)) : trimmed
}

/** Adds what was pulled, compressed to a line: one look is all the model has at the whole (R22). */
export function pull(
  items: readonly PulledItem[],
  { id, kind, text }: Pick<PulledItem, "id" | "kind" | "text">,
  { now, settings }: { readonly now: Moment; readonly settings: PulledSettings },
): readonly PulledItem[] {
  const summary = shorten(text.replace(/\s+/g, " "), settings.summaryCharacters)
  const others = items.filter((item) => item.id !== id)
  return [...others, { id, kind, text: summary, pulled: now }].slice(-settings.maxItems)
}

/** Ids of what can be collected: passively by the turn itself, or earlier by an observer with settings of its own (R22, R26). */
export function stalePulled(items: readonly PulledItem[], now: Moment, settings: PulledSettings): readonly string[] {
  const surplus = Math.max(0, items.length - settings.maxItems)
  return items.filter(({ pulled }, at) => at < surplus || now.turn - pulled.turn > settings.keepTurns).map(({ id }) => id)
}
