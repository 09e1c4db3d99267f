import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../../core/graphemes.ts"
import type { TrustedText } from "../../core/value.ts"
import { cutText } from "../../encode/marked-text.ts"
import { sanitise } from "../../encode/sanitise.ts"
import type { Template } from "../../template/ast.ts"
import { renderTemplate } from "../../template/render.ts"

export interface DocumentBody {
  readonly text: TrustedText
  /** True if nothing was cut. */
  readonly whole: boolean
  /** The number of invisible and control characters that were removed before cutting. */
  readonly removed: number
}

interface BodyOptions {
  readonly maxCharacters: number
  readonly trust: TrustedText["trust"]
  /** The document's file, as the marker names it. */
  readonly file: string
  /** `document-truncated.md`, the text of the marker. It gets `read` (true if the model can read the rest), `file`, `kept`, `tail` and `total`. */
  readonly marker: Template
  /** True if the model has the tool `read`. */
  readonly canRead: boolean
}

/** Stands for the marker if not even the shortest one fits. */
const ellipsis = "…"

/**
 * A document for a prompt: whole, or its first 70 % and last 20 % around a marker, together at most `maxCharacters` code points (D4).
 * If the marker has no room, a shorter one is used, at last one character. A limit of 0 leaves nothing.
 */
export function documentBody(text: string, options: BodyOptions): DocumentBody {
  const { maxCharacters, trust, file } = options
  const source = { file, line: 1 }
  if (truncateDocument(text, maxCharacters) === undefined) {
    return { text: { text, trust, source }, whole: true, removed: 0 }
  }
  // Cleaned before cutting, because characters that are removed later would make the marker's numbers wrong.
  const clean = sanitise(text)
  const cut = truncateDocument(clean.text, maxCharacters)
  if (cut === undefined) return { text: { text: clean.text, trust, source }, whole: true, removed: clean.removed }
  const whole: TrustedText = { text: clean.text, trust, source }
  return { text: around(cut, whole, options), whole: false, removed: clean.removed }
}

function around(cut: TruncatedDocument, whole: TrustedText, options: BodyOptions): TrustedText {
  const { head, tail, keptHead, keptTail, total } = cut
  const room = options.maxCharacters - keptHead - keptTail
  const blankLines = (head === "" ? 0 : 2) + (tail === "" ? 0 : 2)
  const fitting = markers(cut, options).find((words) => countCodePoints(words) + blankLines <= room)
  if (fitting === undefined) return { ...whole, text: head + (room > 0 ? ellipsis : "") + tail }
  const source = options.marker.nodes[0]?.source
  const linesBeforeTail = whole.text.slice(0, whole.text.length - tail.length).split("\n").length - 1
  return cutText(whole, {
    head,
    tail,
    notice: { text: fitting, ...(source ? { source } : {}) },
    linesBeforeTail,
    totalCharacters: total,
  })
}

/** The texts that the marker can have, longest first. */
function markers({ keptHead, keptTail, total }: TruncatedDocument, { marker, canRead, file }: BodyOptions): readonly string[] {
  const counts = { kept: keptHead, tail: keptTail, total }
  const say = (values: object): string =>
    renderTemplate(marker, { read: false, file, kept: undefined, tail: 0, total: 0, ...values })
  return [...(canRead ? [say({ read: true, ...counts })] : []), say(counts), say({})]
}

/** The kept parts of a document that was too long. Counts are in code points. */
interface TruncatedDocument {
  readonly head: string
  readonly tail: string
  readonly keptHead: number
  readonly keptTail: number
  readonly total: number
}

/** In tenths, because a product with a fraction may be one too low (0.7 × 90 is less than 63). */
const headTenths = 7
const tailTenths = 2

/**
 * Keeps the first 70 % and the last 20 % of `maxCharacters` code points, rounded down; undefined if the text is not longer than
 * `maxCharacters`. Cuts fall between graphemes, so a little less may be kept (D4).
 */
function truncateDocument(text: string, maxCharacters: number): TruncatedDocument | undefined {
  if (text.length <= maxCharacters) return undefined
  const total = countCodePoints(text)
  if (total <= maxCharacters) return undefined
  const head = text.slice(0, graphemeBoundaryBefore(text, offsetAfter(text, tenths(maxCharacters, headTenths))))
  const tail = text.slice(graphemeBoundaryAfter(text, offsetBefore(text, tenths(maxCharacters, tailTenths))))
  return { head, tail, keptHead: countCodePoints(head), keptTail: countCodePoints(tail), total }
}

function tenths(maxCharacters: number, count: number): number {
  return Math.floor((maxCharacters * count) / 10)
}

/** The number of code points in a text. A lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1))) count--
  }
  return count
}

/** The UTF-16 offset after the first `count` code points, or the text's end. */
export function offsetAfter(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count && at < text.length; seen++) at += widthAt(text, at)
  return at
}

/** The UTF-16 offset before the last `count` code points, or 0. */
function offsetBefore(text: string, count: number): number {
  let at = text.length
  for (let seen = 0; seen < count && at > 0; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1
  return at
}

function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
