import { CommentSkip, isBlank, isNameCharacter, isNameStart, literalOf, quotesOf, structureOf } from "./loose-syntax.ts"

/** The meaning of a quote inside a string value: its end, a quotation mark among its words, or either of them. */
export type QuoteFate = "closes" | "inner" | "unclear"

/** The place of a quote that may end a string. */
export interface QuotePlace {
  readonly inside: "object" | "array"
  /** The quotes that can end the string. */
  readonly quotes: string
  /** True when a quotation inside the string was begun and not ended. */
  readonly isOpen: boolean
  /** The text that may follow because the closing brace is missing: nothing, other objects, or any words. */
  readonly mayPrecede: "nothing" | "objects" | "words"
}

/** A longer text is no name where it can be read in another way. */
const maxNameCharacters = 64
/** Characters that may follow an inner quotation as well as a value: punctuation, and the plus between two strings. */
const closingPunctuation = /[+.,;:!?)\]}。，；：！？、）】」』》…%]/

/**
 * Tells from the characters after a quote if it ends a string. It does when JSON goes on after it: with a comma and a name
 * with its colon, a closing brace, or the end. Quotations inside a string come in pairs, touch their words and are followed
 * by words. A quote that could be both is `unclear`.
 */
export class QuoteLookahead {
  readonly #place: QuotePlace
  readonly #comment = new CommentSkip()
  #commentCharacters = 0
  #stage: "gap" | "bare" | "quoted" | "after-bare" | "after-quoted" | "colon" = "gap"
  #commaSeen = false
  #spaceSeen = false
  #newlineSeen = false
  #nameQuotes = ""
  #name = ""
  #escaped = false

  constructor(place: QuotePlace) {
    this.#place = place
  }

  /** Takes the next character after the quote; returns the fate once it is known. */
  feed(character: string): QuoteFate | undefined {
    if (this.#stage === "bare") return this.#readBare(character)
    if (this.#stage === "quoted") return this.#readQuoted(character)
    if (this.#stage === "colon") return character === "/" || character === "\\" ? this.#words(character) : this.#ends()
    if (this.#isInComment(character)) return undefined
    return this.#stage === "gap" ? this.#readGap(character) : this.#readAfterName(character)
  }

  /** The fate when no more characters follow. */
  end(): QuoteFate {
    const isInName = this.#stage !== "gap" && this.#stage !== "colon"
    if (!isInName || this.#commaSeen) return this.#ends()
    return this.#stage === "bare" || this.#stage === "after-bare" ? this.#words("") : this.#noName()
  }

  /** True for a character of a comment. A quotation has no comments, and a comment with a hash does not touch a quote. */
  #isInComment(character: string): boolean {
    if (this.#place.isOpen || (character === "#" && this.#stage === "gap" && !this.#isApart)) return false
    const isComment = this.#comment.skips(character)
    this.#commentCharacters = isComment ? this.#commentCharacters + 1 : 0
    if (this.#commentCharacters > 1) this.#spaceSeen = true
    return isComment
  }

  #readGap(character: string): QuoteFate | undefined {
    const { inside, isOpen } = this.#place
    const structural = structureOf(character)
    if (isBlank(character)) {
      this.#spaceSeen = true
      if (character === "\n" || character === "\r") this.#newlineSeen = true
      return undefined
    }
    if (structural === ",") this.#commaSeen = true
    else if (structural === "}" || structural === "]") return this.#ends()
    else if (structural === ":") return character !== ":" && isOpen ? "inner" : "unclear"
    else if (structural === "{" || structural === "[") return this.#readOpening()
    else if (quotesOf(character) !== undefined) {
      if (this.#commaSeen && inside === "array") return this.#ends()
      this.#beginQuoted(character)
    } else if (this.#commaSeen && inside === "array" && /[-0-9]/.test(character)) return this.#ends()
    else if ((this.#commaSeen || (this.#spaceSeen && !isOpen)) && isNameStart(character)) {
      // Words after a quotation may have a colon, too. There a name needs a comma before it.
      this.#stage = "bare"
      this.#name = character
    } else return this.#words(character)
    return undefined
  }

  /** An object or a list begins: an item without its comma, or text after an object without its closing brace. */
  #readOpening(): QuoteFate {
    if (this.#place.inside === "array") return this.#ends()
    if (this.#place.isOpen) return "inner"
    return this.#place.mayPrecede === "nothing" ? "unclear" : "closes"
  }

  #readBare(character: string): QuoteFate | undefined {
    if (isNameCharacter(character) && this.#name.length < maxNameCharacters) {
      this.#name += character
      return undefined
    }
    if (this.#place.inside === "array") return literalOf(this.#name) === undefined ? this.#words(character) : this.#ends()
    this.#stage = "after-bare"
    return this.#readAfterName(character)
  }

  #beginQuoted(character: string): void {
    this.#stage = "quoted"
    this.#nameQuotes = quotesOf(character) ?? ""
    this.#name = ""
    this.#escaped = false
  }

  #readQuoted(character: string): QuoteFate | undefined {
    if (this.#escaped) this.#escaped = false
    else if (character === "\\") this.#escaped = true
    else if (this.#nameQuotes.includes(character)) {
      this.#stage = "after-quoted"
      return undefined
    }
    if (this.#place.inside === "array") return undefined
    this.#name += character
    const isTooLong = this.#place.isOpen && this.#name.length > maxNameCharacters
    return character === "\n" || isTooLong ? this.#noName() : undefined
  }

  #readAfterName(character: string): QuoteFate | undefined {
    if (isBlank(character)) return undefined
    const structural = structureOf(character)
    const isItem = this.#place.inside === "array" && this.#stage === "after-quoted"
    const fits = isItem ? structural === "," || structural === "]" || structural === "}" : structural === ":"
    if (fits && this.#stage === "after-quoted") return this.#ends()
    if (fits) this.#stage = "colon"
    if (fits) return undefined
    return this.#stage === "after-quoted" ? this.#noName() : this.#words(character)
  }

  get #isApart(): boolean {
    return this.#spaceSeen || this.#commaSeen
  }

  /** JSON goes on after the quote. */
  #ends(): QuoteFate {
    return this.#place.isOpen ? "unclear" : "closes"
  }

  /** Another string follows that is neither a name nor an item. */
  #noName(): QuoteFate {
    if (this.#place.isOpen) return "inner"
    return !this.#isApart && this.#nameQuotes !== this.#place.quotes ? "inner" : "unclear"
  }

  /** Words follow; `character` is the first of them. */
  #words(character: string): QuoteFate {
    if (this.#place.isOpen) return "inner"
    if (this.#commaSeen) return "unclear"
    if (this.#spaceSeen) return this.#mayEndBefore(character) ? "closes" : "unclear"
    return closingPunctuation.test(character) ? "unclear" : "inner"
  }

  /** True before a code fence on a new line, which ends the output, and before other words where words may follow. */
  #mayEndBefore(character: string): boolean {
    return this.#place.mayPrecede === "words" || (this.#newlineSeen && (character === "`" || character === "~"))
  }
}
