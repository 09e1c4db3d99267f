import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../core/grapheme-boundary.ts"
import type { CutSize } from "../core/span.ts"
import { type Entry, type Fit, type Injection, isText, type Text } from "../core/value.ts"
import { isEncodedText } from "../encode/encoded.ts"
import { cutText, type NoticeText, noticeEntry } from "./notice.ts"

/** The words that stand where something was cut; from the dialect's prompt files. Texts are counted in code points. */
export interface Notices {
  truncated(counts: { readonly kept: number; readonly total: number }): NoticeText
  entriesDropped(counts: { readonly dropped: number; readonly total: number }): NoticeText
}

/** An injection after a cut, and the cut as later steps of the turn repeat it. */
export interface Shrunk {
  readonly injection: Injection
  readonly cut: CutSize
}

/** How much there is to shrink: entries of a list, UTF-16 units of a text. */
export function sizeOf({ content }: Injection): number {
  if (typeof content === "boolean") return 0
  if (typeof content === "string") return content.length
  return isText(content) ? content.text.length : content.length
}

/** True when a shorter form than the whole and more than nothing exists. */
export function canShorten({ content, fit }: Injection): boolean {
  if (fit === undefined || fit.shrink === "drop" || typeof content === "boolean") return false
  if (Array.isArray(content)) return fit.shrink === "entries"
  return fit.shrink !== "entries" && !(typeof content === "object" && isEncodedText(content as Text))
}

/**
 * An injection of which at most `size` of {@link sizeOf} is left, around a notice. It cuts the raw value: encoding comes
 * after. Texts are cut between graphemes (S17); an entry that answers the one before it is never left without it.
 */
export function shrinkTo(injection: Injection, size: number, notices: Notices): Shrunk {
  const { content, fit } = injection
  if (Array.isArray(content)) return lastEntries(injection, content as readonly Entry[], { size, notices })
  const text: Text = typeof content === "string" ? { text: content, trust: injection.trust } : (content as Text)
  return {
    injection: {
      ...injection,
      content: shorten(text, { size, shrink: fit?.shrink ?? "headTail", notices, total: lengthOf(injection, text) }),
    },
    cut: { characters: size },
  }
}

/** Applies what an earlier step of the turn decided, so that every step cuts the same (design, rule 6). */
export function applyCut(injection: Injection, cut: CutSize, notices: Notices): Shrunk | undefined {
  if ("dropped" in cut || !canShorten(injection)) return undefined
  const whole = sizeOf(injection)
  // A list that has grown since then has grown at its end.
  const size = "entries" in cut ? cut.entries + Math.max(0, whole - (cut.of ?? whole)) : cut.characters
  return size < whole ? shrinkTo(injection, size, notices) : undefined
}

function lastEntries(
  injection: Injection,
  entries: readonly Entry[],
  { size, notices }: { readonly size: number; readonly notices: Notices },
): Shrunk {
  let from = entries.length - size
  while (from > 0 && entries[from]?.answers === true) from--
  const cut = { entries: entries.length - from, of: entries.length }
  if (from === 0) return { injection, cut }
  const notice = noticeEntry(notices.entriesDropped({ dropped: from, total: entries.length }))
  return { injection: { ...injection, content: [notice, ...entries.slice(from)] }, cut }
}

function shorten(
  text: Text,
  {
    size,
    shrink,
    notices,
    total,
  }: { readonly size: number; readonly shrink: Fit["shrink"]; readonly notices: Notices; readonly total: number },
): Text {
  const whole = text.text
  const headUnits = shrink === "tail" ? 0 : shrink === "head" ? size : Math.ceil(size * headShare)
  const headEnd = graphemeBoundaryBefore(whole, headUnits)
  const tailStart = graphemeBoundaryAfter(whole, whole.length - (size - headUnits))
  const kept = total - countCodePoints(whole, headEnd, tailStart)
  return cutText(text, {
    head: whole.slice(0, headEnd),
    tail: whole.slice(tailStart),
    notice: notices.truncated({ kept, total }),
    linesBeforeTail: countLineBreaks(whole, tailStart),
  })
}

/** Head and tail share what is left as 70 to 20 (D4). */
const headShare = 7 / 9

const lengths = new WeakMap<Injection, number>()

/** A text's code points, counted once however many sizes are tried. */
function lengthOf(injection: Injection, { text }: Text): number {
  const length = lengths.get(injection) ?? countCodePoints(text, 0, text.length)
  lengths.set(injection, length)
  return length
}

function countCodePoints(text: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0xdc00 || unit > 0xdfff) count++
  }
  return count
}

function countLineBreaks(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}
