import { type OutputPart, type OutputReader, PartList } from "./output-part.ts"

/** Ends a bubble (R9). */
export const bubbleMark = "@br"

/** True for a UTF-16 unit of an ASCII word: a mark it touches is none, as in `foo@bridge.com` (R9). */
export function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f || (unit >= 0x61 && unit <= 0x7a)
}

/** How {@link createBubbleReader} reads. */
export interface BubbleReaderOptions {
  /** False takes `@br` for words: what stands between two tool calls is one bubble. Default: true. */
  readonly marks?: boolean
}

/**
 * Parts an answer into bubbles at each `@br` (R9), with a `bubble-end` after each, the last one too. One line break on each
 * side belongs to the mark; where an ASCII word character touches it there is none. Holds back at most a mark and the line
 * break before it. A `bubble-end` that comes in ends a bubble as a mark does.
 */
export function createBubbleReader({ marks = true }: BubbleReaderOptions = {}): OutputReader {
  const end: OutputPart = { type: "bubble-end" }
  if (!marks) return { push: (part) => [part], end: () => [end] }
  const parts = new PartList()
  const reader = new MarkReader(parts)
  return {
    push(part) {
      if (part.type === "text") reader.read(part.delta)
      else {
        reader.flush()
        parts.add(part)
      }
      return parts.take()
    },
    end() {
      reader.flush()
      return [...parts.take(), end]
    },
  }
}

/** The last characters of a text that may begin a mark. */
const markBeginning = /\r?\n?(?:@(?:br?)?)?$/

class MarkReader {
  readonly #parts: PartList
  #held = ""
  #isAfterWord = false
  #isAfterMark = false

  constructor(parts: PartList) {
    this.#parts = parts
  }

  read(delta: string): void {
    this.#take(this.#held + delta, false)
  }

  /** Gives out what was held: what comes next does not touch it. */
  flush(): void {
    this.#take(this.#held, true)
    this.#isAfterWord = false
    this.#isAfterMark = false
  }

  #take(text: string, isWhole: boolean): void {
    let from = this.#skipLineBreak(text, isWhole)
    const keep = isWhole ? text.length : Math.max(from, heldFrom(text))
    for (let at = text.indexOf(bubbleMark, from); at >= 0 && at < keep; at = text.indexOf(bubbleMark, at + 1)) {
      const after = at + bubbleMark.length
      const isTouched = at === from ? this.#isAfterWord : isWordUnit(text.charCodeAt(at - 1))
      if (isTouched || isWordUnit(text.charCodeAt(after))) continue
      this.#parts.say(text.slice(from, at - lineBreakBefore(text, at)))
      this.#parts.add({ type: "bubble-end" })
      this.#isAfterWord = false
      this.#isAfterMark = true
      from = this.#skipLineBreak(text, isWhole, after)
    }
    const end = Math.max(from, keep)
    if (end > from) {
      this.#parts.say(text.slice(from, end))
      this.#isAfterWord = isWordUnit(text.charCodeAt(end - 1))
    }
    this.#held = text.slice(end)
  }

  #skipLineBreak(text: string, isWhole: boolean, from = 0): number {
    if (!this.#isAfterMark || from === text.length) return from
    if (!isWhole && text.length === from + 1 && text.charAt(from) === "\r") return from
    this.#isAfterMark = false
    if (text.startsWith("\r\n", from)) return from + 2
    return text.charAt(from) === "\n" ? from + 1 : from
  }
}

/** Where a mark may begin that the text's end cuts short, with the line break before it. */
function heldFrom(text: string): number {
  const tail = text.slice(-(bubbleMark.length + 2))
  return text.length - (markBeginning.exec(tail)?.[0].length ?? 0)
}

/** How many units of a line break stand directly before `at`. */
function lineBreakBefore(text: string, at: number): number {
  if (text.charAt(at - 1) !== "\n") return 0
  return text.charAt(at - 2) === "\r" ? 2 : 1
}

/** The bubbles of a whole answer, blank ones too (R9): what {@link createBubbleReader} parts of it in a stream. */
export function splitBubbles(text: string): string[] {
  const reader = createBubbleReader()
  const bubbles: string[] = []
  let bubble = ""
  for (const part of [...reader.push({ type: "text", delta: text }), ...reader.end()]) {
    if (part.type === "text") bubble += part.delta
    else if (part.type === "bubble-end") {
      bubbles.push(bubble)
      bubble = ""
    }
  }
  return bubbles
}
