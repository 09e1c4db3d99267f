import type { CutSize } from "../../core/span.ts"
import { type FitRule, type Injection, isText, type SlotEntry, type TrustedText } from "../../core/value.ts"
import type { Dialect } from "../../dialect/dialect.ts"
import { promptFile, renderNotice } from "../../dialect/render-notice.ts"
import { cutText, isEncodedText } from "../../encode/marked-text.ts"
import type { TemplateValues } from "../../template/render.ts"
import { countCodePoints, cutOf, cutPlaces, type NoticeText, noticeEntry } from "../cut/cut-places.ts"
import { fencesOf, rememberCutFences } from "../cut/fences.ts"
import { dropOrder, type Unit } from "./drop-order.ts"

/** How much there is of a text, in UTF-16 units; 0 for what is no text. */
export function sizeOf({ content }: Injection): number {
  if (typeof content === "string") return content.length
  return typeof content === "object" && isText(content) ? content.text.length : 0
}

/** True when a shorter form than the whole and more than nothing exists. */
export function canShorten({ content, fit }: Injection): boolean {
  if (fit === undefined || fit.shrink === "drop" || typeof content === "boolean") return false
  if (Array.isArray(content)) return fit.shrink === "entries"
  return fit.shrink !== "entries" && !(typeof content === "object" && isEncodedText(content as TrustedText))
}

/**
 * A text of which at most `size` UTF-16 units are left, around a notice. It cuts the raw value between graphemes (S17);
 * encoding comes after.
 */
export function shrinkTo(injection: Injection, size: number, notices: Notices): Shrunk {
  const { content, fit } = injection
  const text: TrustedText = typeof content === "string" ? { text: content, trust: injection.trust } : (content as TrustedText)
  return {
    injection: {
      ...injection,
      content: shorten(text, { size, shrink: fit?.shrink ?? "headTail", notices }),
    },
    cut: { characters: size },
  }
}

function shorten(
  text: TrustedText,
  { size, shrink, notices }: { readonly size: number; readonly shrink: FitRule["shrink"]; readonly notices: Notices },
): TrustedText {
  const earlier = cutOf(text)
  // What was cut before is cut further: its head loses its end, its tail its beginning.
  const [first, last] = earlier ? [earlier.head, earlier.tail] : [text.text, text.text]
  const { headEnd, tailStart } = cutPlaces(first, last, size, shrink)
  const [head, tail] = [first.slice(0, headEnd), last.slice(tailStart)]
  const totalCharacters = earlier?.totalCharacters ?? charactersOf(text)
  const cut = cutText(text, {
    head,
    tail,
    notice: notices.truncated({ kept: countCodePoints(head) + countCodePoints(tail), total: totalCharacters }),
    linesBeforeTail: (earlier?.linesBeforeTail ?? 0) + countLineBreaks(last, tailStart),
    totalCharacters,
  })
  rememberCutFences(cut, { before: known(first).fenceAt(headEnd), after: known(last).fenceAt(tailStart) })
  return cut
}

/** The text tried last: many sizes of one text are tried, and what is found out about it stays the same. */
let lastText = { text: "", total: 0, fenceAt: fencesOf("") }

function known(text: string): typeof lastText {
  if (lastText.text !== text) lastText = { text, total: countCodePoints(text), fenceAt: fencesOf(text) }
  return lastText
}

function charactersOf({ text }: TrustedText): number {
  return known(text).total
}

function countLineBreaks(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** The words that stand where something was cut; from the dialect's prompt files. Texts are counted in code points. */
export interface Notices {
  truncated(counts: { readonly kept: number; readonly total: number }): NoticeText
  /** `byScore` where not the oldest ones went. */
  entriesDropped(counts: { readonly dropped: number; readonly total: number; readonly byScore: boolean }): NoticeText
}

/** An injection after a cut, and the cut as later steps of the turn repeat it. */
export interface Shrunk {
  readonly injection: Injection
  readonly cut: CutSize
}

/** A list of which the first `units` in its drop order are left out, a notice in their place. */
export function dropUnits(injection: Injection, order: readonly Unit[], units: number, notices: Notices): Shrunk {
  const entries = injection.content as readonly SlotEntry[]
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
function dropAgain(injection: Injection, cut: Extract<CutSize, { entries: number }>, notices: Notices): Shrunk | undefined {
  const entries = injection.content as readonly SlotEntry[]
  const then = Math.min(cut.of ?? entries.length, entries.length)
  const order = dropOrder(entries.slice(0, then), injection.fit)
  let units = 0
  for (let left = then; units < order.length; units++) {
    left -= order[units]?.size ?? 0
    if (left < cut.entries) break
  }
  return units === 0 ? undefined : dropUnits(injection, order, units, notices)
}

/** Applies what an earlier step of the turn decided, so that every step cuts the same and its request extends the one before. */
export function applyCut(injection: Injection, cut: CutSize, notices: Notices): Shrunk | undefined {
  if ("dropped" in cut || !canShorten(injection)) return undefined
  if (Array.isArray(injection.content)) return "entries" in cut ? dropAgain(injection, cut, notices) : undefined
  if ("entries" in cut) return undefined
  return cut.characters < sizeOf(injection) ? shrinkTo(injection, cut.characters, notices) : undefined
}

/** The dialect's words for what was cut. */
export function dialectNotices(dialect: Dialect): Notices {
  const say = (name: string, values: TemplateValues): NoticeText => {
    const source = promptFile(dialect, name).template.nodes[0]?.source
    return { text: renderNotice(dialect, name, values), ...(source ? { source } : {}) }
  }
  return {
    truncated: (counts) => say("truncated", counts),
    // A dialect of somebody's own may have one file for both.
    entriesDropped: ({ byScore, ...counts }) =>
      say(byScore && dialect.files.has("entries-outranked") ? "entries-outranked" : "entries-dropped", counts),
  }
}
