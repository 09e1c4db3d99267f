import type { FileAttachment } from "../core/conversation.ts"
import { findNames } from "../reply/mentions.ts"
import type { TurnEvent } from "./turn-event.ts"

/** A sentence of an answer, or a part of one, with all that goes with it: for a voice, a moving figure or subtitles (H11). */
export interface TurnSegment {
  /** The emotion that holds since its tag. Absent before the first one. */
  readonly emotion?: string
  /** The asset of the character card that shows the emotion (C12). */
  readonly asset?: string
  /** The words with the white space around them. The texts of all segments, joined, are the answer's text. */
  readonly text: string
  /** The number of its bubble, from 1. */
  readonly bubble: number
  /** The people of a group whom the words name as `@name`. */
  readonly mentions: readonly string[]
  /** A file that the answer shows is a segment of its own without words, behind the bubble that introduces it. */
  readonly files: readonly FileAttachment[]
  /** False where a sentence goes on after a change of emotion. */
  readonly startOfSentence: boolean
}

/** An event of a turn, or a segment that the events so far complete. */
export type SegmentedEvent = TurnEvent | { readonly type: "segment"; readonly segment: TurnSegment }

/**
 * Adds segments to the events of a turn, each at the latest with the first character of the next sentence. A segment follows its text, and
 * stands before any other event that ends it. However the text was cut, the segments are the same.
 */
export async function* withSegments(events: AsyncIterable<TurnEvent>): AsyncGenerator<SegmentedEvent> {
  const reader = new SegmentReader()
  for await (const event of events) {
    const segments = reader.push(event)
    if (event.type === "text-delta") yield event
    for (const segment of segments) yield { type: "segment", segment }
    if (event.type !== "text-delta") yield event
  }
}

/** White space, a mark that ends a sentence, one that does so before white space, what may stand behind either, and other words. */
const tokens = /(\s)|([。！？｡])|([.!?…])|(["'*_”’»」』）)\]】》〉])|[^\s。！？｡.!?…"'*_”’»」』）)\]】》〉]+/gu

/** Reads the segments of a turn. Its last event is `turn-end`. */
class SegmentReader {
  #pieces: string[] = []
  #hasWords = false
  /** The last of the sentence: words, a mark that may end it, one that does, white space that may end it, or that does. */
  #last: "words" | "mark" | "end-mark" | "blank" | "end" = "words"
  /** The last characters. */
  #tail = ""
  /** Quotes and stars that are open. */
  readonly #open = new Set<string>()
  #startOfSentence = true
  #bubbles = 0
  #feeling: Pick<TurnSegment, "emotion" | "asset"> = {}
  /** True until a segment has the emotion. */
  #isNew = false
  #people: readonly string[] = []

  push(event: TurnEvent): readonly TurnSegment[] {
    switch (event.type) {
      case "turn-start":
        this.#people = event.people ?? []
        return []
      case "text-delta":
        return this.#read(event.delta)
      case "turn-end":
        return this.#end(this.#pieces.length > 0)
      case "tool-start":
      case "bubble": {
        const ended = this.#end()
        if (event.type === "bubble") this.#bubbles++
        this.#startOfSentence = true
        return ended
      }
      case "emotion": {
        const { type: _, ...feeling } = event
        const ended = this.#end()
        this.#feeling = feeling
        this.#isNew = true
        return ended
      }
      case "attachment":
        return [...this.#end(), this.#made("", Math.max(1, this.#bubbles), [event.attachment])]
      default:
        return []
    }
  }

  /** Ends the segment at hand, if it has words, or an emotion that no other one has. */
  #end(isThere = this.#hasWords || this.#isNew): readonly TurnSegment[] {
    if (!isThere && !this.#isNew) return []
    const segment = this.#made(this.#pieces.join(""), this.#bubbles + 1)
    if (this.#hasWords) this.#startOfSentence = this.#last !== "words"
    this.#pieces = []
    this.#hasWords = false
    this.#last = "words"
    this.#open.clear()
    return [segment]
  }

  #made(text: string, bubble: number, files: readonly FileAttachment[] = []): TurnSegment {
    this.#isNew = false
    const mentions = [...new Set([...findNames(text, this.#people)].map(({ name }) => name))]
    return { ...this.#feeling, text, bubble, mentions, files, startOfSentence: this.#startOfSentence }
  }

  #read(delta: string): readonly TurnSegment[] {
    const segments: TurnSegment[] = []
    let from = 0
    for (const token of delta.matchAll(tokens)) {
      if (!this.#endsBefore(token)) continue
      if (token.index > from) this.#pieces.push(delta.slice(from, token.index))
      segments.push(...this.#end())
      from = token.index
      this.#endsBefore(token)
    }
    if (from < delta.length) this.#pieces.push(delta.slice(from))
    return segments
  }

  /** Takes a token; true, without taking it, if a new sentence begins with it. */
  #endsBefore([token, blank, endMark, mark, closer]: RegExpExecArray): boolean {
    if (blank) {
      const isEnd = blank === "\n" || this.#last === "end-mark"
      if (this.#hasWords && isEnd) this.#last = "end"
      else if (this.#last === "mark") this.#last = "blank"
      this.#tail = (this.#tail + blank).slice(-8)
      return false
    }
    const isSame = closer === this.#tail.at(-1)
    const closes = closer !== undefined && (isSame || this.#last === "mark" || !toggling.has(closer) || this.#open.has(closer))
    if (this.#last === "end" || (this.#last === "blank" && !isLowerCase(token) && !title.test(this.#tail))) return true
    if (this.#last === "end-mark" && !endMark && !mark && !closes) return true
    this.#hasWords = true
    this.#tail = (this.#tail + token).slice(-8)
    if (closer && !isSame && toggling.has(closer) && !this.#open.delete(closer)) this.#open.add(closer)
    if (endMark) this.#last = "end-mark"
    else if (mark) this.#last = this.#last === "end-mark" ? "end-mark" : "mark"
    else if (!closes) this.#last = "words"
    return false
  }
}

/** A word behind which a sentence goes on, such as `Dr.` or an initial. */
const title = /\b(?:Mr|Mrs|Ms|Dr|Prof|St|[A-HJ-Z])\.\s+$/

/** Marks that open and close. */
const toggling: ReadonlySet<string> = new Set(['"', "*", "_"])

/** True for words that do not begin a sentence in a script with capital letters. */
function isLowerCase(words: string): boolean {
  const first = String.fromCodePoint(words.codePointAt(0) ?? 0)
  return first !== first.toUpperCase()
}

/** The segments of a turn's events. */
export async function* segmentsOf(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnSegment> {
  for await (const event of withSegments(events)) if (event.type === "segment") yield event.segment
}

/** The text of a turn with its thinking between tags, and with the calls of tools where these are asked for. */
export async function* textWithThinking(events: AsyncIterable<TurnEvent>, toolCalls: boolean): AsyncGenerator<string> {
  let isOpen = false
  for await (const event of events) {
    const isCall = toolCalls && event.type === "tool-start"
    if (isCall || event.type === "thinking-delta") {
      const inside = event.type === "tool-start" ? `${isOpen ? "\n" : ""}${callOf(event)}\n` : event.delta
      yield isOpen ? inside : `<think>${inside}`
      isOpen = true
    } else if (
      isOpen &&
      (event.type === "text-delta" || event.type === "turn-end" || (event.type === "step-end" && !toolCalls))
    ) {
      yield "</think>"
      isOpen = false
    }
    if (event.type === "text-delta") yield event.delta
  }
}

/** A call as one line that cannot end the thinking that it stands in. */
function callOf({ tool, args }: { readonly tool: string; readonly args: unknown }): string {
  return `${tool}(${JSON.stringify(args)})`.replaceAll("<", "\\u003c")
}
