import { readingWork } from "./incoming-text.ts"
import { decisionMembers } from "./interpret-decision.ts"
import { JsonString } from "./json/json-string.ts"
import { CommentSkip, isBlank, quotesOf, structureOf } from "./json/loose-syntax.ts"

/** Names without quotes that are longer are prose. */
const maxBareNameCharacters = 40
/** Names in quotes that are longer are prose. */
const maxNameCharacters = 64
const endsBareName = new Set(["{", "}", "[", "]", "<", ">", ",", ";", "\n", "\r"])

/**
 * Tells, character by character, whether a brace begins an object, however it is written: a name and its colon follow,
 * with nothing but comments and commas before them. Any other brace is prose.
 */
export class ObjectOpening {
  #stage: "gap" | "bare" | "quoted" | "colon" = "gap"
  readonly #comment = new CommentSkip()
  #quotes = ""
  /** The name as far as it was read. */
  name = ""

  /** Takes the next character after the brace; `undefined` while it could be either. */
  feed(character: string): "object" | "prose" | undefined {
    if (this.#stage === "bare") return this.#readBare(character)
    if (this.#stage === "quoted") return this.#readQuoted(character)
    if (this.#comment.skips(character) || isBlank(character)) return undefined
    if (this.#stage === "gap") return this.#readGap(character)
    return structureOf(character) === ":" || this.#lacksColon(character) ? "object" : "prose"
  }

  /** True for a decision's member whose colon is missing, or stands before its closing quote. */
  #lacksColon(character: string): boolean {
    const found = /^\s*(\w+)\s*(:?)/.exec(this.name)
    const isMember = found?.[1] !== undefined && decisionMembers.has(found[1])
    return isMember && (found[2] === ":" || quotesOf(character) !== undefined || structureOf(character) === "{")
  }

  #readGap(character: string): "prose" | undefined {
    const structural = structureOf(character)
    if (structural === ",") return undefined
    if (structural === ":" || endsBareName.has(structural)) return "prose"
    const quotes = quotesOf(character)
    this.#stage = quotes === undefined ? "bare" : "quoted"
    this.#quotes = quotes ?? ""
    if (quotes === undefined) this.name = character
    return undefined
  }

  #readBare(character: string): "object" | "prose" | undefined {
    const structural = structureOf(character)
    if (structural === ":") return "object"
    if (isBlank(this.name.slice(-1)) && this.#comment.skips(character)) this.#stage = "colon"
    else if (endsBareName.has(structural) || this.name.length === maxBareNameCharacters) return "prose"
    this.name += character
    return undefined
  }

  #readQuoted(character: string): "object" | "prose" | undefined {
    if (this.#quotes.includes(character)) this.#stage = "colon"
    else if (this.name.length === maxNameCharacters || character === "\n") return this.#lacksColon("") ? "object" : "prose"
    else this.name += character
    return undefined
  }
}

const word = "action"

/**
 * Follows an object that is no JSON to its end (T21), so that nothing inside it is taken for a decision. Braces count
 * outside strings; a quote opens a string only where a name or a value may begin. This is a guess that only tells where to
 * go on; the object itself is read whole at the end.
 */
export class BrokenObject {
  readonly #string: JsonString
  #depth: number
  #expectsToken: boolean
  inString = false
  #matched = 0
  /** True when the word `action` stands anywhere in it: it may be a decision. */
  mentionsAction: boolean

  constructor(from: { readonly depth: number; readonly expectsToken: boolean; readonly mentionsAction: boolean }) {
    this.#string = new JsonString(() => {})
    this.#depth = from.depth
    this.#expectsToken = from.expectsToken
    this.mentionsAction = from.mentionsAction
  }

  get closed(): boolean {
    return this.#depth === 0
  }

  /** Takes a run of characters that are neither quotes nor structure. */
  text(run: string): void {
    this.#match(run)
    if (run.trim() !== "") this.#expectsToken = false
  }

  /** Takes the code of a quote or of a structural character. */
  accept(code: number): void {
    readingWork.steps++
    this.#matched = 0
    const character = structureOf(String.fromCharCode(code))
    const quotes = this.#expectsToken ? quotesOf(character) : undefined
    this.inString = quotes !== undefined
    if (quotes !== undefined) this.#string.begin(quotes)
    if (character === "{") this.#depth++
    else if (character === "}") this.#depth--
    this.#expectsToken = "{[,:".includes(character)
  }

  /** Reads on inside a string; returns the place after its closing quote, or the chunk's end. */
  readString(chunk: string, from: number): number {
    const end = this.#string.read(chunk, from)
    this.#match(chunk.slice(from, end))
    this.inString = this.#string.closedBy === ""
    return end
  }

  /** Looks for the word across pieces; its letters are all different, so a mismatch can only begin again. */
  #match(run: string): void {
    readingWork.steps += run.length
    for (let index = 0; index < run.length && !this.mentionsAction; index++) {
      const character = run.charAt(index)
      if (character === word[this.#matched]) this.#matched++
      else this.#matched = character === "a" ? 1 : 0
      if (this.#matched === word.length) this.mentionsAction = true
    }
  }
}
