import { countWhile } from "../../core/binary-search.ts"
import { displayWidth } from "../../core/display-width.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import type { TokenCounter } from "../../core/ports.ts"
import type { AnswerLimit } from "./answer-limit.ts"

/** Fewer columns than these, such as a last word, may come twice in a text. */
const minRepeatedColumns = 10

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
  #passed = ""
  /** The tokens of what passed. It may be too high, where a token came in two pieces. */
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
    const passed = this.#within(text.slice(0, end))
    if (found !== undefined) this.ended ??= "finish"
    return passed
  }

  /** Lets pass what was held back, because no more text follows it directly. */
  end(): string {
    const held = this.#fresh(this.#held, true)
    this.#held = ""
    return this.ended === undefined ? this.#within(held) : ""
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

  /** The beginning of a text that is within the tokens. */
  #within(text: string): string {
    if (text === "" || this.#maxTokens === Number.POSITIVE_INFINITY) return text
    const before = this.#passed
    this.#passed += text
    this.#tokens += this.#counter.count(text)
    if (this.#tokens <= this.#maxTokens) return text
    this.#tokens = this.#counter.count(this.#passed)
    if (this.#tokens <= this.#maxTokens) return text
    this.ended = "truncated"
    const fits = (at: number) => this.#counter.count(before + text.slice(0, at + 1)) <= this.#maxTokens
    return text.slice(0, graphemeBoundaryBefore(text, countWhile(text.length - 1, fits)))
  }
}
