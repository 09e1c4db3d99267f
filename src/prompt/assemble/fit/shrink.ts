import { countCodePoints } from "../../../core/graphemes.ts"
import type { Memo } from "../../../core/memo.ts"
import type { CutSize } from "../../../core/span.ts"
import { type FitRule, type Injection, isText, type SlotEntry, type TrustedText } from "../../../core/value.ts"
import { type Dialect, promptFile } from "../../dialect/dialect.ts"
import { renderNotice } from "../../dialect/render-notice.ts"
import { cutOf, cutText, isEncodedText, type NoticeText, noticeEntry } from "../../encode/marked-text.ts"
import type { TemplateValues } from "../../template/render.ts"
import { cutPlaces } from "../cut/cut-places.ts"
import { type FenceAt, fencesOf } from "../cut/fences.ts"
import { dropOrder, type Unit } from "./drop-order.ts"

/** The length of a text in UTF-16 units; 0 for other content. */
export function sizeOf({ content }: Injection): number {
  if (typeof content === "string") return content.length
  return typeof content === "object" && isText(content) ? content.text.length : 0
}

/** True if something between the whole and nothing can be left of an injection. */
export function canShorten({ content, fit }: Injection): boolean {
  if (fit === undefined || fit.shrink === "drop" || typeof content === "boolean") return false
  if (Array.isArray(content)) return fit.shrink === "entries"
  return fit.shrink !== "entries" && !(typeof content === "object" && isEncodedText(content as TrustedText))
}

/**
 * Cuts a text so that at most `size` UTF-16 units are left, with a notice in place of the rest. The raw value is cut, between
 * graphemes (S17); it is encoded later.
 */
export function shrinkTo(injection: Injection, size: number, notices: Notices): ShrunkInjection {
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
  // A text that was cut before is cut further: its head loses more of its end, its tail more of its beginning.
  const [first, last] = earlier ? [earlier.head, earlier.tail] : [text.text, text.text]
  const { headEnd, tailStart } = cutPlaces(first, last, size, shrink)
  const [head, tail] = [first.slice(0, headEnd), last.slice(tailStart)]
  const totalCharacters = earlier?.totalCharacters ?? notices.factsOf(text.text).total
  return cutText(text, {
    head,
    tail,
    notice: notices.truncated({ kept: countCodePoints(head) + countCodePoints(tail), total: totalCharacters }),
    linesBeforeTail: (earlier?.linesBeforeTail ?? 0) + countLineBreaks(last, tailStart),
    totalCharacters,
    openFences: { before: notices.factsOf(first).fenceAt(headEnd), after: notices.factsOf(last).fenceAt(tailStart) },
  })
}

/** The code points of a text that is cut, and its code fences. */
interface TextFacts {
  readonly text: string
  readonly total: number
  readonly fenceAt: FenceAt
}

function countLineBreaks(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** The notices that stand in place of what was cut, from the dialect's prompt files. Texts are counted in code points. */
export interface Notices {
  /** Facts about a text. Those of the last one are kept, because many sizes of one text are tried in a row. */
  factsOf(text: string): TextFacts
  truncated(counts: { readonly kept: number; readonly total: number }): NoticeText
  /** `byScore` is true if the entries with the lowest scores were dropped, and not the oldest ones. */
  entriesDropped(counts: { readonly dropped: number; readonly total: number; readonly byScore: boolean }): NoticeText
}

/** An injection after a cut, and the cut in the form that later steps of the turn repeat. */
export interface ShrunkInjection {
  readonly injection: Injection
  readonly cut: CutSize
}

/** Drops the first `units` of a list's drop order and puts a notice in their place. */
export function dropUnits(injection: Injection, order: readonly Unit[], units: number, notices: Notices): ShrunkInjection {
  const entries = injection.content as readonly SlotEntry[]
  const kept = keptOf(entries, order, units)
  const cut = { entries: kept.length, of: entries.length }
  const dropped = entries.length - kept.length
  if (dropped === 0) return { injection, cut }
  const byScore = injection.fit?.scores !== undefined
  const notice = noticeEntry(notices.entriesDropped({ dropped, total: entries.length, byScore }))
  return { injection: { ...injection, content: [notice, ...kept] }, cut }
}

/** The entries without the first `units` of a drop order. */
function keptOf(entries: readonly SlotEntry[], order: readonly Unit[], units: number): readonly SlotEntry[] {
  const isGone = new Uint8Array(entries.length)
  for (let index = 0; index < units; index++) {
    const { at, size } = order[index] ?? noUnit
    isGone.fill(1, at, at + size)
  }
  // Of a history, the beginning is dropped.
  const first = isGone.indexOf(0)
  if (first < 0) return []
  if (!isGone.includes(1, first)) return entries.slice(first)
  return entries.filter((_, index) => isGone[index] === 0)
}

const noUnit: Unit = { at: 0, size: 0 }

interface ShrinkOptions {
  readonly notices: Notices
  readonly memo: Memo
}

/** Drops what an earlier step of the turn dropped. Entries that were added since then stay. */
function dropAgain(
  injection: Injection,
  cut: Extract<CutSize, { entries: number }>,
  { notices, memo }: ShrinkOptions,
): ShrunkInjection | undefined {
  const entries = injection.content as readonly SlotEntry[]
  const then = Math.min(cut.of ?? entries.length, entries.length)
  const order = dropOrder(entries.slice(0, then), injection.fit, memo)
  let units = 0
  for (let left = then; units < order.length; units++) {
    left -= order[units]?.size ?? 0
    if (left < cut.entries) break
  }
  return units === 0 ? undefined : dropUnits(injection, order, units, notices)
}

/** Repeats the cut of an earlier step of the turn, so that each request of the turn extends the one before. */
export function applyCut(injection: Injection, cut: CutSize, shrinking: ShrinkOptions): ShrunkInjection | undefined {
  if ("dropped" in cut || !canShorten(injection)) return undefined
  if (Array.isArray(injection.content)) return "entries" in cut ? dropAgain(injection, cut, shrinking) : undefined
  if ("entries" in cut) return undefined
  return cut.characters < sizeOf(injection) ? shrinkTo(injection, cut.characters, shrinking.notices) : undefined
}

/** The notices of a dialect. */
export function dialectNotices(dialect: Dialect): Notices {
  const say = (name: string, values: TemplateValues): NoticeText => {
    return { text: renderNotice(dialect, name, values), source: promptFile(dialect, name).template.nodes[0]?.source }
  }
  let last: TextFacts | undefined
  return {
    factsOf(text) {
      if (last?.text !== text) last = { text, total: countCodePoints(text), fenceAt: fencesOf(text) }
      return last
    },
    truncated: (counts) => say("truncated", counts),
    // A dialect of your own may have one file for both cases.
    entriesDropped: ({ byScore, ...counts }) =>
      say(byScore && dialect.files.has("entries-outranked") ? "entries-outranked" : "entries-dropped", counts),
  }
}
