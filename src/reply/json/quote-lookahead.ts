import { CommentSkip, isBlank, isNameCharacter, isNameStart, literalOf, quotesOf, structureOf } from "./loose-syntax.ts"

/** What a quote inside a string value is: its end, a quotation mark among its words, or either. */
export type QuoteFate = "closes" | "inner" | "unclear"

/** Where a quote stands that may end a string. */
export interface QuotePlace {
  readonly inside: "object" | "array"
  /** The quotes that can end the string. */
  readonly quotes: string
  /** An inner quotation was begun and not ended. */
  readonly isOpen: boolean
  /** What may follow here because the object lacks its brace: another object, or any words. */
  readonly mayPrecede: "nothing" | "objects" | "words"
}

/** No name is longer, where there is another way to read it. */
const maxNameCharacters = 64
const closingPunctuation = /[.,;:!?)\]}。，；：！？、）】」』》…%]/

/**
 * Tells from what follows a quote, character by character, whether it ends a string. It does where JSON goes on as it
 * must: a comma and a name with its colon, a closing brace, the end. Inner quotations come in pairs, hug their words and
 * are followed by words; what could be read both ways is `unclear`.
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

  /** Takes the next character; a fate ends the looking. */
  feed(character: string): QuoteFate | undefined {
    if (this.#stage === "bare") return this.#readBare(character)
    if (this.#stage === "quoted") return this.#readQuoted(character)
    if (this.#stage === "colon") return character === "/" || character === "\\" ? this.#words(character) : this.#ends()
    if (this.#isInComment(character)) return undefined
    return this.#stage === "gap" ? this.#readGap(character) : this.#readAfterName(character)
  }

  /** The fate where nothing follows any more. */
  end(): QuoteFate {
    const isInName = this.#stage !== "gap" && this.#stage !== "colon"
    if (!isInName || this.#commaSeen) return this.#ends()
    return this.#stage === "bare" || this.#stage === "after-bare" ? this.#words("") : this.#noName()
  }

  /** No comment stands in a quotation, and none that a hash begins hugs a quote. */
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
    else if (this.#mayBeginName && isNameStart(character)) this.#beginBare(character)
    else return this.#words(character)
    return undefined
  }

  /** An object or a list begins: an item without its comma, or what follows an object that lacks its brace. */
  #readOpening(): QuoteFate {
    if (this.#place.inside === "array") return this.#ends()
    if (this.#place.isOpen) return "inner"
    return this.#place.mayPrecede === "nothing" ? "unclear" : "closes"
  }

  #beginBare(character: string): void {
    this.#stage = "bare"
    this.#name = character
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

  /** Words that follow a quotation may have a colon, too: there only a comma tells a name from them. */
  get #mayBeginName(): boolean {
    return this.#commaSeen || (this.#spaceSeen && !this.#place.isOpen)
  }

  get #isApart(): boolean {
    return this.#spaceSeen || this.#commaSeen
  }

  /** JSON goes on. */
  #ends(): QuoteFate {
    return this.#place.isOpen ? "unclear" : "closes"
  }

  /** Another string follows that is neither name nor item. */
  #noName(): QuoteFate {
    if (this.#place.isOpen) return "inner"
    return !this.#isApart && this.#nameQuotes !== this.#place.quotes ? "inner" : "unclear"
  }

  /** Words follow, of which `character` is the first to tell. */
  #words(character: string): QuoteFate {
    if (this.#place.isOpen) return "inner"
    if (this.#commaSeen) return "unclear"
    if (this.#spaceSeen) return this.#mayEndBefore(character) ? "closes" : "unclear"
    return closingPunctuation.test(character) ? "unclear" : "inner"
  }

  /** A code fence on a new line ends the output, whatever lacks its brace; other words do where they may. */
  #mayEndBefore(character: string): boolean {
    return this.#place.mayPrecede === "words" || (this.#newlineSeen && (character === "`" || character === "~"))
  }
}
