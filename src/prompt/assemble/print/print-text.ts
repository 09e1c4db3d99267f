import type { Source } from "../../../core/source.ts"
import type { TrustedText } from "../../../core/value.ts"
import { encodeText, fenceFor, isQuoting } from "../../encode/encode.ts"
import { encodeSigns, isPage, type Markers } from "../../encode/lines.ts"
import { type CutText, closedNotice, framedNotice, markOf } from "../../encode/marked-text.ts"
import { breakTokens } from "../../encode/sanitise.ts"
import type { SlotNode } from "../../template/ast.ts"
import type { PrintedPart } from "../draft/draft-recorder.ts"

/** The slot in which a text is printed. */
export interface TextPlace {
  readonly node: SlotNode
  readonly markers: Markers
  /** The source of the text, if the text has none of its own. */
  readonly source?: Source | undefined
}

/**
 * Encodes a text, which is not blank, for its place. Joined, the parts are the printed text; some may be empty. Trust decides the encoder, so that the author of a
 * template cannot forget it: author text is printed as it is. Other text goes through the encoder that the file names, else
 * through `lines` if it is alone on its lines, and through `inline` inside a line. Code and Markdown
 * that would go through `lines` stand in a fence, and so does a block.
 */
export function printText(text: TrustedText, { node, markers, source: around }: TextPlace): PrintedPart[] {
  const source = text.source ?? around
  const content = { part: "content", trust: text.trust, source } as const
  const { encoded, cut } = markOf(text) ?? {}
  if (encoded) return [{ ...content, text: text.text }]
  const encoder = node.encoder ?? (text.trust === "author" ? undefined : node.alone ? "lines" : "inline")
  const encode = (raw: string) => (encoder === undefined || raw === "" ? raw : encodeText(raw, encoder, markers))
  const whole = encoder === "fence" ? text.text : encode(text.text)
  // Each mark makes the text longer, so most texts need no second look.
  const isMarked = encoder === "lines" && node.alone && whole.length > text.text.length + 1
  const isBlock = text.block === true && encoder === "lines" && node.alone && whole !== text.text
  if (encoder === "fence" || isBlock || (isMarked && isPage(cut ? `${cut.head}\n${cut.tail}` : text.text, markers)))
    return fenced(text.text, { cut, content, node, markers: text.trust === "author" ? undefined : markers })
  // Inside a line, a cut value is one quoted string together with its notice.
  if (!cut || isQuoting(encoder)) return [{ ...content, text: whole }]
  const closed = withFencesClosed(cut, encode)
  const tail = { ...content, text: encode(cut.tail), source: tailSource(source, cut, node) }
  return [{ ...content, text: encode(cut.head) }, noticePart(closed), tail]
}

/** Lets the notice close a fence that the cut left open (S17), unless the encoder makes fences plain text. */
function withFencesClosed(cut: CutText, encode: (raw: string) => string): CutText {
  const { head, tail, notice, openFences: open } = cut
  if (!open || encode("```") !== "```") return cut
  const before = head === "" ? undefined : open.before
  const after = tail === "" ? undefined : open.after
  return { ...cut, notice: { ...notice, text: closedNotice(notice.text, { before, after }) } }
}

interface FencedPlace {
  readonly cut: CutText | undefined
  /** The content's part without its text. */
  readonly content: Omit<PrintedPart, "text">
  readonly node: SlotNode
  /** The markers whose signs and chat-template tokens are broken, which count in a fence too; `undefined` for the author's text. */
  readonly markers: Markers | undefined
}

function fenced(text: string, { cut, content, node, markers }: FencedPlace): PrintedPart[] {
  const fence = fenceFor(text)
  const frame = { part: "frame", trust: "author", source: node.source } as const
  const encoded = (words: string) => {
    if (markers === undefined) return words
    const signed = markers.signs ? encodeSigns(words) : words
    return markers.tokens ? breakTokens(signed) : signed
  }
  const inside: PrintedPart[] = [{ ...content, text: encoded(cut ? cut.head : text) }]
  if (cut) inside.push(noticePart(cut), { ...content, text: encoded(cut.tail), source: tailSource(content.source, cut, node) })
  return [{ ...frame, text: `${fence}\n` }, ...inside, { ...frame, text: `\n${fence}` }]
}

function noticePart(cut: CutText): PrintedPart {
  const { source } = cut.notice
  return { text: framedNotice(cut), part: "notice", trust: "author", source }
}

/** The place of the tail. A text that stands in no file has the place of its slot, from its beginning to its end. */
function tailSource(source: Source | undefined, { linesBeforeTail }: CutText, slot: SlotNode): Source | undefined {
  if (source === undefined || source === slot.source || linesBeforeTail === 0) return source
  return { file: source.file, line: source.line + linesBeforeTail }
}
