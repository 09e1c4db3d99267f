import { isHighSurrogate, isLowSurrogate, readingWork } from "../incoming-text.ts"

const backslash = 0x5c
const escapes = new Map(Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }))

/**
 * Decodes the inside of a string that arrives in pieces (T23). Raw control characters and unknown escapes stay as they
 * are and count as a flaw; before a single quote, and before a quote that could end the string, the backslash is left
 * out. An escaped surrogate without its other half becomes U+FFFD. Expects well-formed pieces and holds back at most one
 * escaped pair.
 */
export class JsonString {
  readonly #emit: (part: string, isEscape: boolean) => void
  /** The quotes that can end this string. */
  quotes = '"'
  #escape = ""
  #high = ""
  /** The quote that closed the string; `""` while it is open. */
  closedBy = ""
  /** True when a string held something that JSON does not allow. */
  flawed = false
  /** True when this string held an escaped quote of the kind that ends it. */
  hasEscapedQuote = false

  /** `emit` gets the pieces in order, and whether an escape stood for one. When a `\u` begins it gets an empty piece at once. */
  constructor(emit: (part: string, isEscape: boolean) => void) {
    this.#emit = emit
  }

  /** Begins a new string, after its opening quote. Any of `quotes` closes it. */
  begin(quotes = '"'): void {
    this.quotes = quotes
    this.#escape = ""
    this.#high = ""
    this.closedBy = ""
    this.hasEscapedQuote = false
  }

  /** Takes the quote that closed the string for one of its words; the string goes on after it. */
  reopen(): void {
    const quote = this.closedBy
    this.closedBy = ""
    this.flawed = true
    this.#emit(quote, false)
  }

  /** Reads on from `from`; returns the place after the closing quote, or the chunk's end. */
  read(chunk: string, from: number): number {
    const { quotes } = this
    const quote = quotes.charCodeAt(0)
    let index = from
    while (index < chunk.length && this.closedBy === "") {
      if (this.#escape !== "") {
        index = this.#readEscape(chunk, index)
        continue
      }
      const start = index
      let code = 0
      for (; index < chunk.length; index++) {
        code = chunk.charCodeAt(index)
        if (code === quote || code === backslash || (quotes.length > 1 && quotes.includes(chunk.charAt(index)))) break
        if (code < 0x20) this.flawed = true
      }
      readingWork.steps += index - start + 1
      if (this.#high !== "" && (index > start || code !== backslash)) this.#put("", true)
      if (index > start) this.#emit(chunk.slice(start, index), false)
      if (index === chunk.length) return index
      if (code === backslash) this.#escape = "\\"
      else this.closedBy = chunk.charAt(index)
      index++
    }
    return index
  }

  #readEscape(chunk: string, index: number): number {
    readingWork.steps++
    const character = chunk.charAt(index)
    if (this.#escape !== "\\") return this.#readUnit(character, index)
    const isQuote = this.quotes.includes(character)
    if (isQuote) this.hasEscapedQuote = true
    if (character === "u") {
      this.#escape = "\\u"
      this.#emit("", true)
      return index + 1
    }
    const decoded = escapes.get(character) ?? (isQuote ? character : undefined)
    if (decoded === undefined) return this.#tolerate(character === "'" ? "" : "\\", index)
    this.#escape = ""
    this.#put(decoded, true)
    return index + 1
  }

  #readUnit(character: string, index: number): number {
    if (!/^[0-9a-f]$/i.test(character)) return this.#tolerate(this.#escape, index)
    this.#escape += character
    if (this.#escape.length === 6) {
      const unit = Number.parseInt(this.#escape.slice(2), 16)
      this.#escape = ""
      this.#putUnit(unit)
    }
    return index + 1
  }

  /** Not an escape after all: `text` stands for what was held, and the character at `index` is read again as a plain one. */
  #tolerate(text: string, index: number): number {
    this.flawed = true
    this.#escape = ""
    this.#put(text, true)
    return index
  }

  #putUnit(unit: number): void {
    if (isLowSurrogate(unit) && this.#high !== "") {
      const pair = this.#high + String.fromCharCode(unit)
      this.#high = ""
      this.#emit(pair, true)
    } else if (isHighSurrogate(unit)) {
      this.#put("", true)
      this.#high = String.fromCharCode(unit)
    } else this.#put(isLowSurrogate(unit) ? "\uFFFD" : String.fromCharCode(unit), true)
  }

  /** Emits `text`, after a replacement character for an escaped first half that stayed alone. */
  #put(text: string, isEscape: boolean): void {
    if (this.#high !== "") {
      this.#high = ""
      this.#emit("\uFFFD", true)
    }
    if (text !== "") this.#emit(text, isEscape)
  }
}

/** Decodes the string whose opening quote stands before `from`; undefined where it does not end. `end` is the place after it. */
export function decodeString(text: string, from: number): { readonly value: string; readonly end: number } | undefined {
  const parts: string[] = []
  const string = new JsonString((part) => parts.push(part))
  const end = string.read(text, from)
  return string.closedBy === "" ? undefined : { value: parts.join(""), end }
}
