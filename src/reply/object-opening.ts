import { isDecisionMember } from "./interpret-decision.ts"
import { CommentSkip, isBlank, quotesOf, structureOf } from "./json/loose-syntax.ts"

/** Names without quotes that are longer are prose. */
const maxBareNameCharacters = 40
/** Names in quotes that are longer are prose. */
const maxNameCharacters = 64
const endsBareName = new Set(["{", "}", "[", "]", "<", ">", ",", ";", "\n", "\r"])

/**
 * Tells, character by character, whether a brace begins an object, however it is written: a name and its colon follow,
 * after comments and commas at most. Anything else was a brace in prose.
 */
export class ObjectOpening {
  #stage: "gap" | "bare" | "quoted" | "colon" = "gap"
  readonly #comment = new CommentSkip()
  #quotes = ""
  #name = ""

  /** The name as far as it was read. */
  get name(): string {
    return this.#name
  }

  /** Takes the next character after the brace; `undefined` while it could be either. */
  feed(character: string): "object" | "prose" | undefined {
    if (this.#stage === "bare") return this.#readBare(character)
    if (this.#stage === "quoted") return this.#readQuoted(character)
    if (this.#comment.skips(character)) return undefined
    if (isBlank(character)) return undefined
    if (this.#stage === "gap") return this.#readGap(character)
    return structureOf(character) === ":" || this.#lacksColon(character) ? "object" : "prose"
  }

  /** A decision's member all the same: its colon is missing, or stands before its closing quote. */
  #lacksColon(character: string): boolean {
    const found = /^\s*(\w+)\s*(:?)/.exec(this.#name)
    const isMember = found?.[1] !== undefined && isDecisionMember(found[1])
    return isMember && (found[2] === ":" || quotesOf(character) !== undefined || structureOf(character) === "{")
  }

  #readGap(character: string): "prose" | undefined {
    const structural = structureOf(character)
    if (structural === ",") return undefined
    if (structural === ":" || endsBareName.has(structural)) return "prose"
    const quotes = quotesOf(character)
    this.#stage = quotes === undefined ? "bare" : "quoted"
    this.#quotes = quotes ?? ""
    if (quotes === undefined) this.#name = character
    return undefined
  }

  #readBare(character: string): "object" | "prose" | undefined {
    const structural = structureOf(character)
    if (structural === ":") return "object"
    if (isBlank(this.#name.slice(-1)) && this.#comment.skips(character)) this.#stage = "colon"
    else if (endsBareName.has(structural) || this.#name.length === maxBareNameCharacters) return "prose"
    this.#name += character
    return undefined
  }

  #readQuoted(character: string): "object" | "prose" | undefined {
    if (this.#quotes.includes(character)) this.#stage = "colon"
    else if (this.#name.length === maxNameCharacters || character === "\n") return this.#lacksColon("") ? "object" : "prose"
    else this.#name += character
    return undefined
  }
}
