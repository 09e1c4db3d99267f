import { decodeLines, encodeLines } from "./lines.ts"
import type { Markers } from "./markers.ts"

/** A line that begins so tells who speaks: `^NAME:` a person, `#NAME` a tool (R5). */
const heads = ["^", "#"] as const

const noMarkers: Markers = { lines: new Set(), heads: [], fences: false }

/** Markers live as long as their prompt, so those of a transcript in it are derived once. */
const derived = new WeakMap<Markers, Markers>()

/** The marks of the notation inside a text, with the backslashes that stand for a mark that is only text. */
const marks = /([@＠])(\\*)(?=[bBｂＢ][rRｒＲ])|([%％])(\\*)(?=[[［])|([<＜])(\\*)(?=empty_reply)/giu

const escapedMarks = /([@＠])(\\+)(?=[bBｂＢ][rRｒＲ])|([%％])(\\+)(?=[[［])|([<＜])(\\+)(?=empty_reply)/giu

/**
 * What somebody said, for a transcript (R5): a line that would read as another speaker or a tool gets a leading `\`, and so
 * do `@br`, `%[` and `<empty_reply>` after their first character. Inverse: {@link decodeTranscript}, for every string.
 */
export function encodeTranscript(text: string, markers: Markers = noMarkers): string {
  const marked = text.replace(marks, (found: string) => `${found}\\`)
  return encodeLines(marked, transcriptMarkers(markers))
}

/** What {@link encodeTranscript} was given, for the same markers. */
export function decodeTranscript(encoded: string, markers: Markers = noMarkers): string {
  return decodeLines(encoded, transcriptMarkers(markers)).replace(escapedMarks, (found: string) => found.slice(0, -1))
}

function transcriptMarkers(markers: Markers): Markers {
  const before = derived.get(markers)
  if (before) return before
  const all = { ...markers, heads: [...markers.heads, ...heads] }
  derived.set(markers, all)
  return all
}

/**
 * A speaker's name, on one line and without a colon that could end it: both stand escaped, for every string (R5).
 * Inverse: {@link decodeSpeaker}.
 */
export function encodeSpeaker(name: string): string {
  return name
    .replace(/[\\:：﹕︓]/gu, "\\$&")
    .replace(/[\n-\r\u0085\u2028\u2029]/gu, (unit) => `\\u{${unit.charCodeAt(0).toString(16)}}`)
}

/** What {@link encodeSpeaker} was given. */
export function decodeSpeaker(encoded: string): string {
  return encoded.replace(/\\(?:u\{([0-9a-f]+)\}|([\s\S]))/gu, (_found, code: string | undefined, plain: string | undefined) =>
    code === undefined ? (plain ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
