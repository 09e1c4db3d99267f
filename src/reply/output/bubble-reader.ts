import { checkOptions, checkType } from "../../core/check-options.ts"
import { createTextStage, type OutputPart, type OutputReader, PartList } from "./output-part.ts"

/** How {@link createBubbleReader} reads. */
export interface BubbleReaderOptions {
  /** False takes `@br` for words: everything between two tool calls is one bubble. Default: true. */
  readonly marks?: boolean
}

/** Ends a bubble (R9). */
export const bubbleMark = "@br"

const bubbleEnd: OutputPart = { type: "bubble-end" }

/**
 * Splits an answer into bubbles at each `@br` (R9). A `bubble-end` follows each bubble, the last one too. One line break on
 * each side belongs to the mark. A `@br` that touches an ASCII word character is no mark. Holds back at most a mark and the
 * line break before it. A `bubble-end` in the input ends a bubble as a mark does.
 */
export function createBubbleReader(options: BubbleReaderOptions = {}): OutputReader {
  checkOptions("createBubbleReader", options, "marks")
  const { marks = true } = options
  if (!marks) return { push: (part) => (part.type === "text" && part.delta === "" ? [] : [part]), end: () => [bubbleEnd] }
  const stage = createTextStage(() => new MarkReader())
  return { push: (part) => stage.push(part), end: () => [...stage.end(), bubbleEnd] }
}

/** The bubbles of a whole answer, blank ones too (R9), split as {@link createBubbleReader} does. */
export function splitBubbles(text: string): string[] {
  checkType("the text of splitBubbles", text, "string")
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

/** True for a UTF-16 unit of an ASCII word: a mark that touches it is none, as in `foo@bridge.com` (R9). */
export function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f || (unit >= 0x61 && unit <= 0x7a)
}

/** The last characters of a text that may begin a mark. */
const markBeginning = /\r?\n?(?:@(?:br?)?)?$/

/** Reads the marks in one stretch of text. */
class MarkReader {
  readonly #parts = new PartList()
  #held = ""
  #isAfterWord = false
  #isAfterMark = false

  push(delta: string): OutputPart[] {
    this.#read(this.#held + delta, false)
    return this.#parts.take()
  }

  end(): OutputPart[] {
    this.#read(this.#held, true)
    return this.#parts.take()
  }

  #read(text: string, isWhole: boolean): void {
    let from = this.#skipLineBreak(text, isWhole)
    const keep = isWhole ? text.length : Math.max(from, heldFrom(text))
    for (let at = text.indexOf(bubbleMark, from); at >= 0 && at < keep; at = text.indexOf(bubbleMark, at + 1)) {
      const after = at + bubbleMark.length
      const isTouched = at === from ? this.#isAfterWord : isWordUnit(text.charCodeAt(at - 1))
      if (isTouched || isWordUnit(text.charCodeAt(after))) continue
      this.#parts.say(text.slice(from, at - lineBreakBefore(text, at)))
      this.#parts.add(bubbleEnd)
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

/** The place of a mark that the end of the text may cut short, or of the line break before it. */
function heldFrom(text: string): number {
  const tail = text.slice(-(bubbleMark.length + 2))
  return text.length - (markBeginning.exec(tail)?.[0].length ?? 0)
}

/** How many units of a line break stand directly before `at`. */
function lineBreakBefore(text: string, at: number): number {
  if (text.charAt(at - 1) !== "\n") return 0
  return text.charAt(at - 2) === "\r" ? 2 : 1
}
