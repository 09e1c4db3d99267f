import type { Source } from "../../core/source.ts"
import type { Trust, TrustedText } from "../../core/value.ts"
import { encodeFence, encodeText } from "../../encode/encode.ts"
import type { Markers } from "../../encode/lines.ts"
import { isEncodedText } from "../../encode/marked-text.ts"
import type { EncoderName, SlotNode } from "../../template/ast.ts"
import { type CutText, cutOf, framedNotice } from "../cut/cut-places.ts"
import { closedNotice, cutFencesOf } from "../cut/fences.ts"

/** What of an encoded text is whose, and where it comes from. */
export interface PrintedPart {
  readonly text: string
  readonly part: "frame" | "content" | "notice"
  readonly trust: Trust
  readonly source?: Source
}

/** Where a text is printed. */
export interface TextPlace {
  readonly node: SlotNode
  readonly markers: Markers
  /** Where the text comes from, unless it says so itself. */
  readonly source?: Source
}

/**
 * Encodes a text for the place it stands in. Trust decides, so that the author of a template cannot forget it: author text
 * stands as it is, other text goes through the encoder the file names, else `lines` where it is alone on its line and
 * `inline` inside one.
 * Joined, the parts are what is printed.
 */
export function printText(text: TrustedText, { node, markers, source: around }: TextPlace): PrintedPart[] {
  const source = text.source ?? around ?? node.source
  const content = (encoded: string, at: Source = source): PrintedPart => ({
    text: encoded,
    part: "content",
    trust: text.trust,
    source: at,
  })
  if (isEncodedText(text)) return notBlank([content(text.text)])
  const encoder = encoderFor(text, node)
  const cut = cutOf(text)
  if (encoder === "fence") return notBlank(fenced(text.text, { cut, content, node, source }))
  const encode = (raw: string) => (encoder === undefined || raw === "" ? raw : encodeText(raw, encoder, markers))
  // Inside a line a cut value is one quoted string, notice and all.
  if (!cut || encoder === "inline") return notBlank([content(encode(text.text))])
  const closed = withFencesClosed(text, cut, encode)
  return notBlank([content(encode(cut.head)), noticePart(closed), content(encode(cut.tail), tailSource(source, cut))])
}

/** A fence that the cut left open is closed by the notice (S17), unless the encoder has taken fences their meaning. */
function withFencesClosed(text: TrustedText, cut: CutText, encode: (raw: string) => string): CutText {
  const open = cutFencesOf(text)
  if (!open || encode("```") !== "```") return cut
  const { head, tail, notice } = cut
  const before = head === "" ? undefined : open.before
  const after = tail === "" ? undefined : open.after
  return { ...cut, notice: { ...notice, text: closedNotice(notice.text, { before, after }) } }
}

function encoderFor(text: TrustedText, node: SlotNode): EncoderName | undefined {
  if (node.encoder) return node.encoder
  if (text.trust === "author") return undefined
  return node.alone ? "lines" : "inline"
}

/** What a fence is made from. */
interface Fenced {
  readonly cut: CutText | undefined
  readonly content: (text: string, at?: Source) => PrintedPart
  readonly node: SlotNode
  readonly source: Source
}

function fenced(text: string, { cut, content, node, source }: Fenced): PrintedPart[] {
  const whole = encodeFence(text)
  const frame = (mark: string): PrintedPart => ({ text: mark, part: "frame", trust: "author", source: node.source })
  const inside = cut ? [content(cut.head), noticePart(cut), content(cut.tail, tailSource(source, cut))] : [content(text)]
  return [frame(whole.slice(0, whole.indexOf("\n") + 1)), ...inside, frame(whole.slice(whole.lastIndexOf("\n")))]
}

function noticePart(cut: CutText): PrintedPart {
  const { source } = cut.notice
  return { text: framedNotice(cut), part: "notice", trust: "author", ...(source ? { source } : {}) }
}

function tailSource(source: Source, { linesBeforeTail }: CutText): Source {
  return linesBeforeTail === 0 ? source : { file: source.file, line: source.line + linesBeforeTail }
}

function notBlank(parts: readonly PrintedPart[]): PrintedPart[] {
  return parts.filter(({ text }) => text !== "")
}
