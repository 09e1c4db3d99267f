import { checkShape, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { authored, memoKind } from "../../core/memo.ts"
import { decodeLines, encodeLines, type Markers, signs } from "./lines.ts"

/** One message of a transcript: the words of a person or the result of a tool. */
export interface TranscriptMessage {
  readonly kind: "speaker" | "tool"
  readonly name: string
  readonly text: string
}

/**
 * Writes messages in the notation of R5, one after the other: `^NAME:TEXT` for a person; `#NAME` and the result from the
 * next line on for a tool. No name and no text can pass for another message. Inverse: {@link parseTranscript}, for every list.
 */
export function formatTranscript(messages: readonly TranscriptMessage[]): string {
  checkShape("the messages of formatTranscript", messages, [{ kind: "string", name: "string", text: "string" }])
  return messages
    .map(({ kind, name, text }) =>
      kind === "speaker"
        ? `^${encodeSpeaker(name)}:${encodeTranscript(text)}`
        : `#${encodeSpeaker(name)}\n${encodeTranscript(text)}`,
    )
    .join("\n")
}

/**
 * Reads the messages of a transcript. A line that begins with `^` or `#` begins a message. Throws with code `encoding` and
 * the number of the line where a message has no colon, or where the transcript does not begin with a message.
 */
export function parseTranscript(transcript: string): TranscriptMessage[] {
  checkType("the transcript of parseTranscript", transcript, "string")
  if (transcript === "") return []
  const starts = messageStarts(transcript)
  if (starts[0] !== 0) throw misread(transcript, 0, "a line that begins with ^NAME: or #NAME")
  return starts.map((start, index) => {
    const next = starts[index + 1]
    return parseMessage(transcript, start, next === undefined ? transcript.length : next - 1)
  })
}

/** The places where messages begin. Messages are joined by a line feed; any other line break belongs to the text. */
function messageStarts(transcript: string): number[] {
  const starts: number[] = []
  for (let at = 0; at >= 0 && at < transcript.length; ) {
    const unit = transcript[at]
    if (unit === "^" || unit === "#") starts.push(at)
    const lineFeed = transcript.indexOf("\n", at)
    at = lineFeed < 0 ? -1 : lineFeed + 1
  }
  return starts
}

function parseMessage(transcript: string, start: number, end: number): TranscriptMessage {
  const isTool = transcript[start] === "#"
  const nameEnd = isTool ? transcript.indexOf("\n", start) : colonAfter(transcript, start, end)
  if (nameEnd < 0 || nameEnd > end) throw misread(transcript, start, isTool ? "a line after #NAME" : "a colon after ^NAME")
  return {
    kind: isTool ? "tool" : "speaker",
    name: decodeSpeaker(transcript.slice(start + 1, nameEnd)),
    text: decodeTranscript(transcript.slice(nameEnd + 1, end)),
  }
}

/** The first colon that is not part of the name; -1 where the line has none. */
function colonAfter(transcript: string, start: number, end: number): number {
  for (let at = start + 1; at < end; at++) {
    if (transcript[at] === "\\") at++
    else if (transcript[at] === ":") return at
    else if (transcript[at] === "\n") return -1
  }
  return -1
}

function misread(transcript: string, at: number, expected: string): PromptStrataError {
  const line = transcript.slice(0, at).split("\n").length
  const found = JSON.stringify(transcript.slice(at, at + 40))
  return new PromptStrataError("encoding", `Line ${line} of the transcript: expected ${expected}, found ${found}.`, {
    hint: "Write transcripts with formatTranscript.",
    evidence: { line },
  })
}

const noMarkers: Markers = { lines: new Set(), heads: [], fences: false }

const derived = memoKind<Markers, Markers>()

/** The marks of the notation inside a text, each with the backslashes that make it plain text. */
const marks = /([@＠])(\\*)(?=[bBｂＢ][rRｒＲ])|([%％])(\\*)(?=[[［])|([<＜])(\\*)(?=empty_reply)/giu

const escapedMarks = /([@＠])(\\+)(?=[bBｂＢ][rRｒＲ])|([%％])(\\+)(?=[[［])|([<＜])(\\+)(?=empty_reply)/giu

/**
 * Encodes the text of a message for a transcript (R5). A line that would read as another speaker or a tool gets a leading
 * `\`; `@br`, `%[` and `<empty_reply>` get one after their first character. Inverse: {@link decodeTranscript}, for every
 * string.
 */
export function encodeTranscript(text: string, markers: Markers = noMarkers): string {
  const marked = text.replace(marks, (found: string) => `${found}\\`)
  return encodeLines(marked, transcriptMarkers(markers))
}

/** Decodes what {@link encodeTranscript} returned, for the same markers. */
export function decodeTranscript(encoded: string, markers: Markers = noMarkers): string {
  return decodeLines(encoded, transcriptMarkers(markers)).replace(escapedMarks, (found: string) => found.slice(0, -1))
}

/** The markers of transcripts. Markers live as long as their prompt, so those for a transcript are derived once. */
function transcriptMarkers(markers: Markers): Markers {
  return authored.made(derived, markers, () => ({ ...markers, heads: [...markers.heads, ...signs] }))
}

/**
 * Encodes a speaker's name (R5). Line breaks and colons are escaped, so that the name stays on one line and does not end
 * early. Inverse: {@link decodeSpeaker}, for every string.
 */
export function encodeSpeaker(name: string): string {
  return name
    .replace(/[\\:：﹕︓∶꞉ː˸]/gu, "\\$&")
    .replace(/[\n-\r\u0085\u2028\u2029]/gu, (unit) => `\\u{${unit.charCodeAt(0).toString(16)}}`)
}

/** Decodes what {@link encodeSpeaker} returned. */
export function decodeSpeaker(encoded: string): string {
  return encoded.replace(/\\(?:u\{([0-9a-f]+)\}|([\s\S]))/gu, (_found, code: string | undefined, plain: string | undefined) =>
    code === undefined ? (plain ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
