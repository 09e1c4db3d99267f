import type { StepCount } from "./incoming-text.ts"
import { quotesOf, structureOf } from "./json/loose-syntax.ts"

const word = "action"

/**
 * Follows an object that is no JSON to its end (T21), so that nothing inside it is taken for a decision. Braces count
 * outside strings; a quote opens a string only where a name or a value may begin. It is a guess, good
 * enough to go on after: the object itself is read whole at the end.
 */
export class LooseObject {
  readonly #count: StepCount
  #depth: number
  #expectsToken: boolean
  #closingQuotes = ""
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
    return this.#closingQuotes !== ""
  }

  /** True when the word `action` stands anywhere in it: it may be a decision. */
  get mentionsAction(): boolean {
    return this.#mentionsAction
  }

  /** A run of characters none of which {@link isQuoteOrStructure}. */
  text(run: string): void {
    this.#match(run)
    if (run.trim() !== "") this.#expectsToken = false
  }

  /** One character that {@link isQuoteOrStructure}. */
  accept(code: number): void {
    this.#count.steps++
    this.#matched = 0
    const character = structureOf(String.fromCharCode(code))
    if (this.#expectsToken) this.#closingQuotes = quotesOf(character) ?? ""
    if (character === "{") this.#depth++
    else if (character === "}") this.#depth--
    this.#expectsToken = "{[,:".includes(character)
  }

  /** Reads on inside a string; returns the place after its closing quote, or the chunk's end. */
  readString(chunk: string, from: number): number {
    let index = from
    for (; index < chunk.length; index++) {
      const character = chunk.charAt(index)
      if (this.#escaped) this.#escaped = false
      else if (character === "\\") this.#escaped = true
      else if (this.#closingQuotes.includes(character)) break
    }
    this.#match(chunk.slice(from, index))
    if (index === chunk.length) return index
    this.#closingQuotes = ""
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
