import { PromptStrataError } from "../core/errors.ts"
import { decodeSpeaker, decodeTranscript, encodeSpeaker, encodeTranscript } from "./transcript.ts"

/** One line of a transcript: what a person said or a tool returned. */
export interface TranscriptMessage {
  readonly kind: "speaker" | "tool"
  readonly name: string
  readonly text: string
}

/**
 * Messages in the notation of R5: `^NAME:TEXT` for a person, `#NAME` and the result from the next line on for a tool, one
 * after the other. No name and no text can pass for another message. Inverse: {@link parseTranscript}, for every list.
 */
export function formatTranscript(messages: readonly TranscriptMessage[]): string {
  return messages
    .map(({ kind, name, text }) =>
      kind === "speaker"
        ? `^${encodeSpeaker(name)}:${encodeTranscript(text)}`
        : `#${encodeSpeaker(name)}\n${encodeTranscript(text)}`,
    )
    .join("\n")
}

/**
 * The messages of a transcript. A line that begins with `^` or `#` begins a message; throws `encoding`, naming the line,
 * where one has no colon, or where the text does not begin with one.
 */
export function parseTranscript(transcript: string): TranscriptMessage[] {
  if (transcript === "") return []
  const starts = messageStarts(transcript)
  if (starts[0] !== 0) throw misread(transcript, 0, "a line that begins with ^NAME: or #NAME")
  return starts.map((start, index) => {
    const next = starts[index + 1]
    return parseMessage(transcript, start, next === undefined ? transcript.length : next - 1)
  })
}

/** Messages are joined by a line feed; whatever other break stands before it belongs to the text. */
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

/** The first colon that is not part of the name; names have no line breaks. */
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
