import { readLooseString, type StringPlace, type StringReading } from "./loose-string.ts"
import { isBlank, isNameCharacter, isNameStart, quotesOf, structureOf } from "./loose-syntax.ts"
import { type LooseWord, readLooseWord } from "./loose-word.ts"
import { skipBlank } from "./skip-blank.ts"
import type { StepCount } from "./step-count.ts"

/** A place in a text from which the tokens of nearly-JSON are read, counting the characters looked at. */
export class LooseCursor {
  readonly text: string
  readonly #count: StepCount
  #at: number

  constructor(text: string, from: number, count: StepCount) {
    this.text = text
    this.#at = from
    this.#count = count
  }

  get at(): number {
    return this.#at
  }

  /** The next character after white space and comments, full-width punctuation as JSON's; `""` at the end. */
  next(): string {
    const from = this.#at
    this.#at = skipBlank(this.text, from)
    this.#count.steps += this.#at - from + 1
    return structureOf(this.text.charAt(this.#at))
  }

  /** Goes past one character. */
  skip(): void {
    this.#at++
  }

  /** True where a name comes: in quotes, or with its colon after it. */
  isAtName(): boolean {
    if (quotesOf(this.text.charAt(this.#at)) !== undefined) return true
    if (!isNameStart(this.text.charAt(this.#at))) return false
    let index = this.#at
    while (isNameCharacter(this.text.charAt(index))) index++
    while (isBlank(this.text.charAt(index))) index++
    this.#count.steps += index - this.#at
    return structureOf(this.text.charAt(index)) === ":"
  }

  readBareName(): string {
    const from = this.#at
    while (isNameCharacter(this.text.charAt(this.#at))) this.#at++
    this.#count.steps += this.#at - from
    return this.text.slice(from, this.#at)
  }

  /** The string that begins here, or why it cannot be read: then the place stays. */
  readString(place: StringPlace): StringReading {
    const reading = readLooseString(this.text, this.#at, place, this.#count)
    if (typeof reading !== "string") this.#at = reading.end
    return reading
  }

  /** The value without quotes that begins here; `undefined` for none: then the place stays. */
  readWord(): LooseWord | undefined {
    const word = readLooseWord(this.text, this.#at)
    this.#count.steps += (word?.end ?? this.#at) - this.#at
    this.#at = word?.end ?? this.#at
    return word
  }
}
