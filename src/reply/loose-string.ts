import { JsonString } from "./json-string.ts"
import { isWordCharacter, quotesOf, structureOf } from "./loose-syntax.ts"
import { type QuoteFate, QuoteLookahead, type QuotePlace } from "./quote-lookahead.ts"
import { skipBlank } from "./skip-blank.ts"
import type { StepCount } from "./step-count.ts"

/** Where a string stands: a name, or a value of an object or a list. */
export interface StringPlace {
  readonly isName: boolean
  readonly inside: "object" | "array"
  readonly mayPrecede: QuotePlace["mayPrecede"]
}

/** A string that was read, with the place after its closing quote; or why it could not be. */
export type StringReading = { readonly value: string; readonly end: number } | "unterminated" | "unclear"

/**
 * Reads a string that is not JSON's: in other quotes, or with quotation marks among its words that were not escaped
 * (T21). `from` is the place of its opening quote.
 */
export function readLooseString(text: string, from: number, place: StringPlace, count: StepCount): StringReading {
  const quotes = quotesOf(text.charAt(from)) ?? ""
  const body = new QuotedBody(text, from + 1, quotes)
  let isOpen = false
  for (let index = from + 1; index < text.length; index++) {
    count.steps++
    const character = text.charAt(index)
    if (character === "\\") {
      body.escape(index++)
    } else if (!quotes.includes(character)) {
      if (character === '"') body.quote(index)
    } else if (isApostrophe(text, index)) {
      body.quote(index)
    } else {
      const fate = place.isName ? nameFate(text, index, count) : valueFate(text, index, { ...place, quotes, isOpen }, count)
      const isUnclear =
        fate === "closes" ? body.isQuoted(index) || (place.isName && body.spansLines(index)) : body.hasEscapedQuote
      if (fate === "unclear" || isUnclear) return "unclear"
      if (fate === "closes") return { value: body.decode(index, count), end: index + 1 }
      isOpen = !isOpen
      body.quote(index)
    }
  }
  return "unterminated"
}

/** Gathers a string's body as JSON would write it. */
class QuotedBody {
  readonly #text: string
  readonly #quotes: string
  readonly #parts: string[] = []
  readonly #start: number
  #from: number
  #hasEscapedQuote = false

  constructor(text: string, from: number, quotes: string) {
    this.#text = text
    this.#start = from
    this.#from = from
    this.#quotes = quotes
  }

  /** True once a quote was escaped: then one that is not is no quotation mark. */
  get hasEscapedQuote(): boolean {
    return this.#hasEscapedQuote
  }

  /** A backslash: one before a quote that JSON does not know is left out. */
  escape(at: number): void {
    const next = this.#text.charAt(at + 1)
    this.#hasEscapedQuote ||= next !== "" && this.#quotes.includes(next)
    if (next === '"' || !this.#quotes.includes(next)) return
    this.#parts.push(this.#text.slice(this.#from, at))
    this.#from = at + 1
  }

  /** A quotation mark among the words. */
  quote(at: number): void {
    if (this.#text.charAt(at) !== '"') return
    this.#parts.push(this.#text.slice(this.#from, at), "\\")
    this.#from = at
  }

  /** True where another pair of quotes stands directly inside the string's own: it may belong to the words or not. */
  isQuoted(end: number): boolean {
    const first = this.#text.charAt(this.#start)
    return end - this.#start > 1 && this.#quotes.includes(first) && this.#quotes.includes(this.#text.charAt(end - 1))
  }

  /** True for a body with a line break: a name that has one lacks its closing quote. */
  spansLines(end: number): boolean {
    return /[\n\r]/.test(this.#text.slice(this.#start, end))
  }

  decode(end: number, count: StepCount): string {
    this.#parts.push(this.#text.slice(this.#from, end), '"')
    const decoded: string[] = []
    new JsonString((part) => decoded.push(part), count).read(this.#parts.join(""), 0)
    return decoded.join("")
  }
}

/** A name ends where its colon follows. */
function nameFate(text: string, at: number, count: StepCount): QuoteFate {
  const next = skipBlank(text, at + 1)
  count.steps += next - at
  return structureOf(text.charAt(next)) === ":" ? "closes" : "unclear"
}

function valueFate(text: string, at: number, place: QuotePlace, count: StepCount): QuoteFate {
  const lookahead = new QuoteLookahead(place)
  for (let index = at + 1; index < text.length; index++) {
    count.steps++
    const fate = lookahead.feed(text.charAt(index))
    if (fate !== undefined) return fate
  }
  return lookahead.end()
}

/** True for a single quote between letters. */
function isApostrophe(text: string, at: number): boolean {
  return "'’".includes(text.charAt(at)) && isWordCharacter(text.charAt(at - 1)) && isWordCharacter(text.charAt(at + 1))
}
