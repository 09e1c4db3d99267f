import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import type { Text } from "../../core/value.ts"
import { cutText } from "../../encode/cut-text.ts"
import { sanitise } from "../../encode/sanitise.ts"
import type { Template } from "../../template/ast.ts"
import { renderTemplate } from "../../template/render.ts"

/** A document's body, fit for a prompt. */
export interface DocumentBody {
  readonly text: Text
  /** True when all of it is there. */
  readonly whole: boolean
  /** Invisible and control characters that were left out before cutting; of a whole body none are. */
  readonly removed: number
}

/** What a body is made for. */
interface BodyOptions {
  readonly maxCharacters: number
  readonly trust: Text["trust"]
  /** The document's file, as the marker names it. */
  readonly file: string
  /** `document-truncated.md`: the marker's words, given `read` (whether the model can look the rest up), `file`, `kept`, `tail` and `total`. */
  readonly marker: Template
  /** True where the model has the tool `read`. */
  readonly canRead: boolean
}

/** Less than the smallest marker with its blank lines. */
const ellipsis = "…"

/**
 * A document as it stands in a prompt: whole, or its first 70 % and last 20 % around a marker, in all at most `maxCharacters`
 * code points (D4). The marker gives up words where it has no room, down to one character; a limit of 0 leaves nothing.
 */
export function documentBody(text: string, options: BodyOptions): DocumentBody {
  const { maxCharacters, trust, file } = options
  const source = { file, line: 1 }
  if (truncateDocument(text, maxCharacters) === undefined) {
    return { text: { text, trust, source }, whole: true, removed: 0 }
  }
  // What is taken out later would make the marker's numbers wrong.
  const clean = sanitise(text)
  const cut = truncateDocument(clean.text, maxCharacters)
  if (cut === undefined) return { text: { text: clean.text, trust, source }, whole: true, removed: clean.removed }
  const whole: Text = { text: clean.text, trust, source }
  return { text: around(cut, whole, options), whole: false, removed: clean.removed }
}

function around(cut: TruncatedDocument, whole: Text, options: BodyOptions): Text {
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

/** The marker's words, longest first. */
function markers({ keptHead, keptTail, total }: TruncatedDocument, { marker, canRead, file }: BodyOptions): readonly string[] {
  const counts = { kept: keptHead, tail: keptTail, total }
  const say = (values: object): string =>
    renderTemplate(marker, { read: false, file, kept: undefined, tail: 0, total: 0, ...values })
  return [...(canRead ? [say({ read: true, ...counts })] : []), say(counts), say({})]
}

/** What is left of a document that was too long. Counts are in code points. */
interface TruncatedDocument {
  readonly head: string
  readonly tail: string
  readonly keptHead: number
  readonly keptTail: number
  readonly total: number
}

/** In tenths: a share as a fraction is now and then one too few (0.7 × 90 is less than 63). */
const headTenths = 7
const tailTenths = 2

/**
 * Keeps the first 70 % and the last 20 % of `maxCharacters` code points, floored; `undefined` for a text that is no longer
 * than that. Cuts fall between graphemes, so a little less may be left (D4).
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

/** How many code points a text has; a lone surrogate is one. */
export function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1))) count--
  }
  return count
}

/** The UTF-16 offset behind the first `count` code points, or the text's end. */
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
