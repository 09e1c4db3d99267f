import { countCodePoints } from "../../../core/graphemes.ts"
import type { TrustedText } from "../../../core/value.ts"
import { cutText, markCutBeforehand } from "../../encode/marked-text.ts"
import { sanitise } from "../../encode/sanitise.ts"
import { endsOf, type TextEnds } from "../../encode/text-ends.ts"
import type { Template } from "../../template/ast.ts"
import { renderTemplate } from "../../template/render-template.ts"

export interface DocumentBody {
  readonly text: TrustedText
  /** True if nothing was cut. */
  readonly whole: boolean
  /** The code points that are left, without the marker, and those of the whole document. */
  readonly kept: number
  readonly total: number
  /** The number of invisible and control characters that were removed before cutting. */
  readonly removed: number
}

interface BodyOptions {
  readonly maxCharacters: number
  /** The limit, as decisions name it. Default: that of characters. */
  readonly limit?: string
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
  if (endsOf(text, maxCharacters) === undefined) {
    const total = countCodePoints(text)
    return { text: { text, trust, source }, whole: true, kept: total, total, removed: 0 }
  }
  // Cleaned before cutting, because characters that are removed later would make the marker's numbers wrong.
  const { text: clean, removed } = sanitise(text)
  const whole: TrustedText = { text: clean, trust, source }
  const cut = endsOf(clean, maxCharacters)
  if (cut === undefined) {
    const total = countCodePoints(clean)
    return { text: whole, whole: true, kept: total, total, removed }
  }
  const body = around(cut, whole, options)
  markCutBeforehand(body, { text: clean, reason: `more than its limit of ${options.limit ?? `${maxCharacters} characters`}` })
  return { text: body, whole: false, kept: cut.keptHead + cut.keptTail, total: cut.total, removed }
}

/** The longest body of a document that has at most `maxTokens`, of those that {@link documentBody} makes. */
export function bodyWithin(
  text: string,
  {
    maxTokens,
    countTokens,
    ...options
  }: Omit<BodyOptions, "maxCharacters" | "limit"> & {
    readonly maxTokens: number
    readonly countTokens: (text: string) => number
  },
): DocumentBody {
  const limit = `${maxTokens} tokens`
  const bodyOf = (maxCharacters: number) => documentBody(text, { ...options, maxCharacters, limit })
  const [total, tokens] = [countCodePoints(text), countTokens(text)]
  if (tokens <= maxTokens) return bodyOf(total)
  let best = bodyOf(0)
  for (let [fits, fails] = [0, total]; fails - fits > 1; ) {
    const middle = (fits + fails) >> 1
    const body = bodyOf(middle)
    if (countTokens(body.text.text) <= maxTokens) {
      best = body
      fits = middle
    } else fails = middle
  }
  return best
}

function around(cut: TextEnds, whole: TrustedText, options: BodyOptions): TrustedText {
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
    notice: { text: fitting, source },
    linesBeforeTail,
    totalCharacters: total,
  })
}

/** The texts that the marker can have, longest first. */
function markers({ keptHead, keptTail, total }: TextEnds, { marker, canRead, file }: BodyOptions): readonly string[] {
  const counts = { kept: keptHead, tail: keptTail, total }
  const say = (values: object): string =>
    renderTemplate(marker, { read: false, file, kept: undefined, tail: 0, total: 0, ...values })
  return [...(canRead ? [say({ read: true, ...counts })] : []), say(counts), say({})]
}
