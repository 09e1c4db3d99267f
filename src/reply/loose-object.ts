import type { StepCount } from "./step-count.ts"

const closingQuotes = new Map([
  [0x22, '"'],
  [0x27, "'"],
  [0x201c, "\u201d"],
])
const openBrace = 0x7b
const openBracket = 0x5b
const closeBrace = 0x7d
const closeBracket = 0x5d
const comma = 0x2c
const colon = 0x3a
const word = "action"

/**
 * Follows an object that is no JSON to its end (T21), so that nothing inside it is taken for a decision. Braces and
 * brackets count outside strings; a quote opens a string only where a name or a value may begin.
 */
export class LooseObject {
  readonly #count: StepCount
  #depth: number
  #expectsToken: boolean
  #closingQuote = ""
  #escaped = false
  #matched = 0
  #mentionsAction: boolean

  constructor(
    from: { readonly depth: number; readonly expectsToken: boolean; readonly mentionsAction: boolean },
    count: StepCount,
  ) {
    this.#count = count
    this.#depth = from.depth
    this.#expectsToken = from.expectsToken
    this.#mentionsAction = from.mentionsAction
  }

  get closed(): boolean {
    return this.#depth === 0
  }

  get inString(): boolean {
    return this.#closingQuote !== ""
  }

  /** True when the word `action` stands anywhere in it: it may be a decision. */
  get mentionsAction(): boolean {
    return this.#mentionsAction
  }

  /** A run of characters none of which {@link isLooseStop}. */
  text(run: string): void {
    this.#match(run)
    if (run.trim() !== "") this.#expectsToken = false
  }

  /** One character that {@link isLooseStop}. */
  accept(code: number): void {
    this.#count.steps++
    this.#matched = 0
    const closingQuote = this.#expectsToken ? closingQuotes.get(code) : undefined
    if (closingQuote !== undefined) this.#closingQuote = closingQuote
    else if (code === openBrace || code === openBracket) this.#depth++
    else if (code === closeBrace || code === closeBracket) this.#depth--
    this.#expectsToken = code === openBrace || code === openBracket || code === comma || code === colon
  }

  /** Reads on inside a string; returns the place after its closing quote, or the chunk's end. */
  readString(chunk: string, from: number): number {
    let index = from
    for (; index < chunk.length; index++) {
      const character = chunk.charAt(index)
      if (this.#escaped) this.#escaped = false
      else if (character === "\\") this.#escaped = true
      else if (character === this.#closingQuote) break
    }
    this.#match(chunk.slice(from, index))
    if (index === chunk.length) return index
    this.#closingQuote = ""
    this.#matched = 0
    return index + 1
  }

  /** Looks for the word across pieces; its letters are all different, so a mismatch can only begin again. */
  #match(run: string): void {
    this.#count.steps += run.length
    for (let index = 0; index < run.length && !this.#mentionsAction; index++) {
      const character = run.charAt(index)
      if (character === word[this.#matched]) this.#matched++
      else this.#matched = character === "a" ? 1 : 0
      if (this.#matched === word.length) this.#mentionsAction = true
    }
  }
}

/** The characters that matter to a {@link LooseObject} outside strings. */
export function isLooseStop(code: number): boolean {
  return (
    code === openBrace ||
    code === closeBrace ||
    code === openBracket ||
    code === closeBracket ||
    code === comma ||
    code === colon ||
    closingQuotes.has(code)
  )
}
