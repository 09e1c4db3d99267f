import { readingWork } from "../incoming-text.ts"
import { JsonGrammar, type JsonSink } from "./json-grammar.ts"
import { JsonString } from "./json-string.ts"
import {
  isApostrophe,
  isBlank,
  isNameCharacter,
  isNameStart,
  jsonNumber,
  quotesOf,
  readBareWord,
  skipBlank,
  structureOf,
} from "./loose-syntax.ts"
import { type QuoteFate, QuoteLookahead } from "./quote-lookahead.ts"

/** No name spans lines: its closing quote is missing. */
const lineBreak = /[\n\r]/

/**
 * Reads one JSON object or array and hands its pieces to a sink, without recursion and in linear time. It has two modes.
 *
 * As JSON, it reads chunks as they arrive, each character once. String values tolerate what {@link JsonString} does. Where
 * the sink says that a string may go on, the characters after its quote wait until they tell whether it does.
 *
 * Tolerant (T21), it reads a whole text in one `feed` and looks ahead in it. It also takes other quotes, quotation marks
 * that were not escaped, names and words without quotes, comments, Python's words, full-width punctuation, and what
 * {@link JsonGrammar.mend} mends. It breaks where a text could be read in two ways: it never guesses.
 */
export class JsonReader {
  readonly grammar: JsonGrammar
  readonly #sink: JsonSink
  readonly #isTolerant: boolean
  /** `over` means that the value stops here: it is not clear if a string ended, or the sink wants no more. */
  state: "open" | "closed" | "broken" | "over" = "open"
  /** The text behind a value that was closed by held characters: it came before the place that {@link feed} returned. */
  rest = ""
  readonly string: JsonString
  #inString = false
  /** The pieces of the name that is being read. */
  #name: string[] | undefined
  #spansLines = false
  /** The place of the opening quote, in a tolerant reading. */
  #stringAt = 0
  /** The inner quotation of the string at hand was begun and not ended. */
  #isQuotationOpen = false
  #lookahead: QuoteLookahead | undefined
  /** The characters after a quote, from earlier chunks, while they do not tell its meaning. */
  #held = ""
  #scalar = ""

  constructor(sink: JsonSink, { isTolerant = false }: { readonly isTolerant?: boolean } = {}) {
    this.grammar = new JsonGrammar(sink)
    this.#sink = sink
    this.#isTolerant = isTolerant
    this.string = new JsonString((part, isEscape) => {
      if (this.#name === undefined) {
        sink.text(part, isEscape)
        if (sink.ended) this.state = "over"
      } else {
        this.#name.push(part)
        this.#spansLines ||= !isEscape && lineBreak.test(part)
      }
    })
  }

  /** True where a name or a value may begin. */
  get expectsToken(): boolean {
    const { expected } = this.grammar
    return this.#scalar === "" && (expected === "name" || expected === "value")
  }

  /** Reads on from `from`. Returns the place after the value, the place after a token that does not fit, or the chunk's end. */
  feed(chunk: string, from: number): number {
    let index = from
    while (index < chunk.length && this.state === "open") {
      if (this.#lookahead) index = this.#lookAhead(chunk, index)
      else if (this.#inString) index = this.#readString(chunk, index)
      else if (this.#scalar !== "") index = this.#readScalar(chunk, index)
      else index = this.#isTolerant ? this.#readLooseToken(chunk, index) : this.#readToken(chunk, index)
    }
    return this.#isTolerant && this.state === "open" ? this.#endText(index) : index
  }

  /** No more characters come. Decides about a quote that waited for them. */
  end(): void {
    while (this.#lookahead && this.state === "open") this.#settleQuote(this.#lookahead.end(), "", 0)
  }

  /** Reads one character between strings and scalars. */
  #readToken(chunk: string, index: number): number {
    readingWork.steps++
    const character = chunk.charAt(index)
    if (character === " " || character === "\n" || character === "\r" || character === "\t") return index + 1
    const { expected, depth } = this.grammar
    if (character === '"' && depth > 0 && (expected === "name" || expected === "value"))
      return this.#beginString(index, character)
    if (this.grammar.accept(character)) {
      if (this.grammar.depth === 0) this.state = "closed"
      return index + 1
    }
    if (depth > 0 && expected === "value" && isScalarCode(chunk.charCodeAt(index))) {
      this.#scalar = character
      return index + 1
    }
    this.state = "broken"
    return index
  }

  #readScalar(chunk: string, from: number): number {
    let index = from
    while (index < chunk.length && isScalarCode(chunk.charCodeAt(index))) index++
    readingWork.steps += index - from + 1
    this.#scalar += chunk.slice(from, index)
    if (index === chunk.length) return index
    const raw = this.#scalar
    if (raw !== "true" && raw !== "false" && raw !== "null" && !jsonNumber.test(raw)) this.state = "broken"
    else {
      this.#scalar = ""
      this.#sink.scalar(raw)
      this.grammar.valueEnds()
    }
    return index
  }

  #readLooseToken(text: string, from: number): number {
    const at = skipBlank(text, from)
    readingWork.steps += at - from + 1
    if (at === text.length) return at
    const character = structureOf(text.charAt(at))
    const { expected, inside, depth } = this.grammar
    const quotes = quotesOf(character)
    if (quotes !== undefined && this.expectsToken) return this.#beginString(at, quotes)
    if (expected === "name" && isNameStart(character)) return this.#readBareName(text, at)
    if (this.grammar.accept(character)) return this.#endToken(at + 1)
    if (expected === "value" && !"{}[]:,".includes(character)) return this.#readBareWord(text, at)
    const isAfterObject = expected === "comma" && inside === "object" && depth === 1 && !this.#isAtName(text, at)
    const mended = isAfterObject ? this.grammar.endUnclosed() : this.grammar.mend(character)
    if (mended === "broken") this.state = "broken"
    return this.#endToken(mended === "read" ? at + 1 : at)
  }

  #endToken(end: number): number {
    if (this.grammar.depth === 0 && this.state === "open") this.state = "closed"
    return end
  }

  /** True where a name comes: in quotes, or with its colon after it. */
  #isAtName(text: string, at: number): boolean {
    if (quotesOf(text.charAt(at)) !== undefined) return true
    if (!isNameStart(text.charAt(at))) return false
    let index = at
    while (isNameCharacter(text.charAt(index))) index++
    while (isBlank(text.charAt(index))) index++
    readingWork.steps += index - at
    return structureOf(text.charAt(index)) === ":"
  }

  #readBareName(text: string, from: number): number {
    let index = from
    while (isNameCharacter(text.charAt(index))) index++
    readingWork.steps += index - from
    this.grammar.expected = "colon"
    this.#sink.key(text.slice(from, index))
    return index
  }

  #readBareWord(text: string, from: number): number {
    const word = readBareWord(text, from)
    if (word === undefined) {
      this.state = "broken"
      return from
    }
    readingWork.steps += word.end - from
    if ("scalar" in word) this.#sink.scalar(word.scalar)
    else {
      this.#sink.text(word.words, false)
      this.#sink.textEnd()
    }
    this.grammar.valueEnds("words" in word)
    return word.end
  }

  #beginString(at: number, quotes: string): number {
    this.#name = this.grammar.expected === "name" ? [] : undefined
    this.#spansLines = false
    this.#isQuotationOpen = false
    this.#stringAt = at
    this.#inString = true
    this.string.begin(quotes)
    return at + 1
  }

  #readString(chunk: string, from: number): number {
    const end = this.string.read(chunk, from)
    if (this.string.closedBy === "" || this.state === "over") return end
    if (this.#isTolerant && isApostrophe(chunk, end - 1)) this.#reopenString()
    else if (this.#name) {
      this.#inString = false
      this.grammar.expected = "colon"
      if (this.#spansLines || (this.#isTolerant && !this.#isNameEnd(chunk, end))) {
        this.state = "broken"
        return this.#isTolerant ? this.#stringAt : end
      }
      this.#sink.key(this.#name.join(""))
    } else {
      const mayGoOn = this.#isTolerant || this.#sink.mayGoOn?.()
      // A closing brace nearly always follows at once, and tells that the string has ended.
      const isSure = !this.#isTolerant && !this.#isQuotationOpen && chunk.charAt(end) === "}"
      if (mayGoOn && !isSure) return this.#lookAhead(chunk, end)
      this.#endString()
    }
    return end
  }

  /** True where a name's colon follows the quote before `end`. */
  #isNameEnd(text: string, end: number): boolean {
    const next = skipBlank(text, end)
    readingWork.steps += next - end + 1
    return structureOf(text.charAt(next)) === ":"
  }

  /** True where another pair of quotes stands directly inside the string's own: it may belong to the words or not. */
  #isQuotedTwice(text: string, closing: number): boolean {
    const [first, { quotes }] = [this.#stringAt + 1, this.string]
    return closing - first > 1 && quotes.includes(text.charAt(first)) && quotes.includes(text.charAt(closing - 1))
  }

  /** Looks at what follows a quote, up to the character that tells its fate; returns where to read on. */
  #lookAhead(chunk: string, from: number): number {
    this.#lookahead ??= new QuoteLookahead({
      inside: this.grammar.inside,
      quotes: this.string.quotes,
      isOpen: this.#isQuotationOpen,
      mayPrecede: !this.#isTolerant ? "objects" : this.grammar.depth === 1 ? "words" : "nothing",
    })
    const lookahead = this.#lookahead
    let fate: QuoteFate | undefined
    let index = from
    for (; index < chunk.length && fate === undefined; index++) fate = lookahead.feed(chunk.charAt(index))
    readingWork.steps += index - from
    if (this.#isTolerant) fate ??= lookahead.end()
    if (fate !== undefined) return this.#settleQuote(fate, chunk, from)
    this.#held += chunk.slice(from)
    return chunk.length
  }

  /**
   * Ends the string at its last quote, or goes on with it; then reads the held characters again. `end` is the place after
   * the quote.
   */
  #settleQuote(fate: QuoteFate, chunk: string, end: number): number {
    const held = this.#held
    this.#held = ""
    this.#lookahead = undefined
    const isDoubtful = fate === "closes" ? this.#isQuotedTwice(chunk, end - 1) : this.string.hasEscapedQuote
    if (fate === "unclear" || (this.#isTolerant && isDoubtful)) {
      this.state = this.#isTolerant ? "broken" : "over"
      return this.#isTolerant ? this.#stringAt : end
    }
    if (fate === "closes") this.#endString()
    else {
      this.#isQuotationOpen = !this.#isQuotationOpen
      this.#reopenString()
    }
    if (held !== "") this.rest = held.slice(this.feed(held, 0))
    return end
  }

  #endString(): void {
    this.#inString = false
    this.#sink.textEnd()
    this.grammar.valueEnds()
  }

  #reopenString(): void {
    if (this.#name === undefined) this.#sink.goesOn?.()
    this.string.reopen()
  }

  /** The whole text was read, and the value is still open. */
  #endText(index: number): number {
    readingWork.steps++
    if (this.#inString || this.grammar.endUnclosed() === "broken") this.state = "broken"
    else this.#endToken(index)
    return this.#inString ? this.#stringAt : index
  }
}

function isScalarCode(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e
}
