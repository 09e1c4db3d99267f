import { displayWidth } from "../../core/display-width.ts"
import { graphemesOf } from "../../core/graphemes.ts"
import type { TokenCounter } from "../../core/ports.ts"
import { addPiece } from "../incoming-text.ts"
import type { AnswerLimit } from "./answer-limit.ts"

/** Fewer columns than these, such as a last word, may come twice in a text. */
const minRepeatedColumns = 10
/** More UTF-16 units than any character that people write. */
const longestCharacter = 256
/** The beginning of a token may count as so many more tokens than the whole one. */
const beginningTokens = 4

/** Lets the words of an answer pass until its limit. A text that may be the beginning of a stop is held back until that is known. */
export class AnswerLimiter {
  /** The reason why nothing passes any more. */
  ended: "finish" | "truncated" | undefined
  /** The words of the text before it with which the answer began, and which did not pass. */
  repeated = ""
  readonly #stops: readonly string[]
  readonly #maxTokens: number
  readonly #counter: TokenCounter
  /** The text before the answer, while this may still repeat its end. */
  #behind: string
  #held = ""
  readonly #passed: string[] = []
  /** The last character, while more may belong to it. */
  #last = ""
  /** Characters behind what passed, which are too many unless they begin a token. */
  #over = ""
  /** The tokens of what passed. It may be too high, because each character is counted alone. */
  #tokens = 0

  constructor({ stop = [], maxTokens = Number.POSITIVE_INFINITY, behind = "" }: AnswerLimit, counter: TokenCounter) {
    this.#behind = behind.trim()
    this.#stops = stop.filter((text) => text !== "")
    this.#maxTokens = maxTokens
    this.#counter = counter
  }

  push(delta: string): string {
    if (this.ended !== undefined) return ""
    const text = this.#fresh(this.#held + delta)
    if (this.#behind !== "") return ""
    const found = this.#stopIn(text)
    const end = found ?? this.#safeLength(text)
    this.#held = text.slice(end)
    const passed = this.#within(text.slice(0, end), found !== undefined)
    if (found !== undefined) this.ended ??= "finish"
    return passed
  }

  /** Lets pass what was held back, because no more text follows it directly. */
  end(): string {
    const held = this.#fresh(this.#held, true)
    this.#held = ""
    return this.ended === undefined ? this.#within(held, true) : ""
  }

  /** The text without words that repeat the end of the text before it. While more of it may, all of it is held back. */
  #fresh(text: string, isWhole = false): string {
    const behind = this.#behind
    const begun = text.trimStart()
    if (behind === "" || (isWhole && begun === "")) return text
    if (!isWhole && behind.includes(begun)) {
      this.#held = text
      return ""
    }
    this.#behind = ""
    let size = begun.length
    while (size > 0 && !behind.endsWith(begun.slice(0, size))) size--
    const again = begun.slice(0, size)
    if (again !== behind && displayWidth(again) < minRepeatedColumns) return text
    this.repeated = again
    return begun.slice(size)
  }

  /** The place of the stop that is whole first. */
  #stopIn(text: string): number | undefined {
    let first: { readonly at: number; readonly end: number } | undefined
    for (const stop of this.#stops) {
      const at = text.indexOf(stop)
      const end = at + stop.length
      if (at >= 0 && (first === undefined || end < first.end || (end === first.end && at < first.at))) first = { at, end }
    }
    return first?.at
  }

  /** The length of the text without an end that may begin a stop. */
  #safeLength(text: string): number {
    let length = text.length
    for (const stop of this.#stops)
      for (let size = Math.min(stop.length - 1, text.length); size > text.length - length; size--)
        if (text.endsWith(stop.slice(0, size))) length = text.length - size
    return length
  }

  /**
   * The beginning of a text that is within the tokens. The last character waits, since more may belong to it, and so do those that may begin
   * a token, unless `isWhole`. Each character is looked at once, so that no cutting of the text gives another beginning.
   */
  #within(text: string, isWhole = false): string {
    if (this.#maxTokens === Number.POSITIVE_INFINITY) return text
    let passed = ""
    for (const { segment, index, input } of graphemesOf(this.#last + text)) {
      const mayGrow = index + segment.length === input.length && segment.length < longestCharacter
      this.#last = mayGrow && !isWhole ? segment : ""
      if (this.#last === "" && this.ended === undefined) passed += this.#count(segment)
    }
    if (isWhole && this.#over !== "") this.ended ??= "truncated"
    return passed
  }

  /** Takes a character; returns it, with those that waited for it, if they are within the tokens. */
  #count(character: string): string {
    const over = this.#over + character
    this.#tokens += this.#counter.count(character)
    if (this.#tokens > this.#maxTokens) this.#tokens = this.#counter.count(this.#passed.join("") + over)
    if (this.#tokens > this.#maxTokens + beginningTokens) this.ended = "truncated"
    const isWithin = this.#tokens <= this.#maxTokens
    this.#over = isWithin ? "" : over
    if (isWithin) addPiece(this.#passed, over)
    return isWithin ? over : ""
  }
}
