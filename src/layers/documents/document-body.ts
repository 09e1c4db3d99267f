import type { Text } from "../../core/value.ts"
import { cutText } from "../../encode/marked-text.ts"
import { sanitise } from "../../encode/sanitise.ts"
import type { Template } from "../../template/ast.ts"
import { renderTemplate } from "../../template/render.ts"
import { countCodePoints } from "./code-points.ts"
import { type TruncatedDocument, truncateDocument } from "./truncate-document.ts"

/** A document's body, fit for a prompt. */
export interface DocumentBody {
  readonly text: Text
  /** True when all of it is there. */
  readonly whole: boolean
  /** Invisible and control characters that were left out before cutting; of a whole body none are. */
  readonly removed: number
}

/** What a body is made for. */
export interface BodyOptions {
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
