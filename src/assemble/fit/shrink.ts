import { type Fit, type Injection, isText, type Text } from "../../core/value.ts"
import { isEncodedText } from "../../encode/marked-text.ts"
import { countCodePoints } from "../cut/code-points.ts"
import { rememberCutFences } from "../cut/cut-fences.ts"
import { cutPlaces } from "../cut/cut-places.ts"
import { cutOf, cutText } from "../cut/notice.ts"
import { fencesOf } from "../cut/open-fence.ts"
import type { Notices, Shrunk } from "./shrunk.ts"

/** How much there is of a text, in UTF-16 units; 0 for what is no text. */
export function sizeOf({ content }: Injection): number {
  if (typeof content === "string") return content.length
  return typeof content === "object" && isText(content) ? content.text.length : 0
}

/** True when a shorter form than the whole and more than nothing exists. */
export function canShorten({ content, fit }: Injection): boolean {
  if (fit === undefined || fit.shrink === "drop" || typeof content === "boolean") return false
  if (Array.isArray(content)) return fit.shrink === "entries"
  return fit.shrink !== "entries" && !(typeof content === "object" && isEncodedText(content as Text))
}

/**
 * A text of which at most `size` UTF-16 units are left, around a notice. It cuts the raw value between graphemes (S17);
 * encoding comes after.
 */
export function shrinkTo(injection: Injection, size: number, notices: Notices): Shrunk {
  const { content, fit } = injection
  const text: Text = typeof content === "string" ? { text: content, trust: injection.trust } : (content as Text)
  return {
    injection: {
      ...injection,
      content: shorten(text, { size, shrink: fit?.shrink ?? "headTail", notices }),
    },
    cut: { characters: size },
  }
}

function shorten(
  text: Text,
  { size, shrink, notices }: { readonly size: number; readonly shrink: Fit["shrink"]; readonly notices: Notices },
): Text {
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

function charactersOf({ text }: Text): number {
  return known(text).total
}

function countLineBreaks(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}
