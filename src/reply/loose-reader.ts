import { JsonBuilder, type JsonValue, type tooDeep } from "./json-value.ts"
import { LooseContainers } from "./loose-containers.ts"
import { LooseCursor } from "./loose-cursor.ts"
import { isNameStart, quotesOf } from "./loose-syntax.ts"
import type { StepCount } from "./step-count.ts"

/** An object that was read although it is no JSON. */
export interface LooseObjectReading {
  readonly value: JsonValue | typeof tooDeep
  /** The place after it. */
  readonly end: number
  /** Where it stands in the text it was read from: that of the output, or the string it was written as. */
  readonly source: { readonly text: string; readonly start: number; readonly end: number }
  /** A closing brace or bracket inside it was missing. */
  readonly lacksClosing: boolean
  /** Its last brace was missing. */
  readonly isUnclosed: boolean
  /** How deep the missing brace might belong instead; see `LooseContainers.openTail`. */
  readonly openTail: number
}

type Expected = "name" | "colon" | "value" | "comma"

/** Where an object begins: at its brace, or, when it `lacksBrace`, at its first name. */
export interface LooseStart {
  readonly from: number
  readonly lacksBrace?: boolean
}

/** An object that cannot be read, and how far the reading came. */
export interface BrokenReading {
  readonly brokenAt: number
}

/**
 * Reads an object that is nearly JSON (T21), each character a few times and without recursion: other quotes, quotation
 * marks not escaped, names without quotes, commas missing or too many, comments, Python's words, full-width punctuation,
 * doubled braces, and one closing brace or bracket that is missing where only one place for it makes sense. It is
 * broken where that is not enough, or where it could be read in two ways: nothing is guessed.
 */
export function readLooseObject(text: string, start: LooseStart, count: StepCount): LooseObjectReading | BrokenReading {
  return new LooseReader(new LooseCursor(text, start.from, count)).read(start.lacksBrace ?? false)
}

class LooseReader {
  readonly #cursor: LooseCursor
  readonly #builder = new JsonBuilder()
  readonly #open = new LooseContainers()
  #expected: Expected = "name"
  #isUnclosed = false
  #closingsMissing = 0
  #openTail = 0
  #isItemCommaMissing = false
  #isBracketMissing = false
  /** The last value had no quotes, and may have been cut off. */
  #isWordLast = false
  #isBroken = false

  constructor(cursor: LooseCursor) {
    this.#cursor = cursor
  }

  read(lacksBrace: boolean): LooseObjectReading | BrokenReading {
    const { text, at: start } = this.#cursor
    if (!lacksBrace) this.#cursor.skip()
    this.#push(true)
    while (this.#open.depth > 0 && !this.#isBroken) this.#step()
    const end = this.#cursor.at
    const value = this.#builder.take()
    const isGuess = this.#isBracketMissing && this.#isItemCommaMissing
    if (this.#isBroken || isGuess || value === undefined) return { brokenAt: end }
    const lacksClosing = this.#closingsMissing > 0 && !this.#isUnclosed
    return { value, end, source: { text, start, end }, lacksClosing, isUnclosed: this.#isUnclosed, openTail: this.#openTail }
  }

  #step(): void {
    const character = this.#cursor.next()
    if (character === "") this.#endUnclosed()
    else if (this.#expected === "colon") this.#readColon(character)
    else if (this.#expected === "comma") this.#readComma(character)
    else if (character === "," && this.#mayRepeatComma) this.#cursor.skip()
    else if (character === "}" || character === "]") this.#close(character)
    else if (this.#expected === "name") this.#readName(character)
    else this.#readValue(character)
  }

  get #mayRepeatComma(): boolean {
    return this.#expected === "name" || (this.#open.inside === "array" && !this.#open.isEmpty)
  }

  #readColon(character: string): void {
    this.#isBroken = character !== ":"
    this.#cursor.skip()
    this.#expected = "value"
  }

  /** After a value: a comma, the end, or what follows although the comma is missing. */
  #readComma(character: string): void {
    if (character === ",") {
      this.#cursor.skip()
      this.#expected = this.#open.inside === "object" ? "name" : "value"
    } else if (character === "}" || character === "]") this.#close(character)
    else if (this.#open.inside === "array") {
      this.#isItemCommaMissing = true
      this.#readValue(character)
    } else if (this.#open.depth === 1 && !this.#cursor.isAtName()) this.#endUnclosed()
    else this.#readName(character)
  }

  #readName(character: string): void {
    const isDoubled = character === "{" && this.#open.isEmpty
    if (isDoubled) {
      this.#cursor.skip()
      this.#open.double()
    } else if (quotesOf(character) !== undefined) this.#readQuotedName()
    else if (isNameStart(character)) this.#name(this.#cursor.readBareName())
    else if (this.#open.depth === 1 && character === "{") this.#endUnclosed()
    else this.#isBroken = true
  }

  #readQuotedName(): void {
    const reading = this.#cursor.readString({ isName: true, inside: "object", mayPrecede: "nothing" })
    if (typeof reading === "string") this.#isBroken = true
    else this.#name(reading.value)
  }

  #name(name: string): void {
    this.#builder.key(name)
    this.#expected = "colon"
  }

  #readValue(character: string): void {
    if (quotesOf(character) !== undefined) this.#readText()
    else if (character === "{" || character === "[") {
      this.#cursor.skip()
      this.#push(character === "{")
    } else this.#readWord()
  }

  #readText(): void {
    const mayPrecede = this.#open.depth === 1 ? "words" : "nothing"
    const reading = this.#cursor.readString({ isName: false, inside: this.#open.inside, mayPrecede })
    if (typeof reading === "string") this.#isBroken = true
    else this.#text(reading.value, false)
  }

  #readWord(): void {
    const word = this.#cursor.readWord()
    if (word === undefined) this.#isBroken = true
    else if ("words" in word) this.#text(word.words, true)
    else {
      this.#builder.scalar(word.scalar)
      this.#endValue(false)
    }
  }

  #text(text: string, isWord: boolean): void {
    this.#builder.text(text)
    this.#builder.textEnd()
    this.#endValue(isWord)
  }

  #endValue(isWord: boolean): void {
    this.#isWordLast = isWord
    this.#open.add()
    this.#expected = "comma"
  }

  #push(isObject: boolean): void {
    this.#open.push(isObject)
    this.#builder.open(isObject ? "object" : "array")
    this.#expected = isObject ? "name" : "value"
  }

  #close(character: string): void {
    const isObject = this.#open.inside === "object"
    if (isObject === (character === "}")) this.#closeAsWritten(isObject)
    else if (isObject && this.#open.depth === 1) this.#endUnclosed()
    else this.#closeForMissing(isObject)
  }

  #closeAsWritten(isObject: boolean): void {
    this.#isBroken = isObject && this.#expected === "value"
    this.#cursor.skip()
    for (let { extra } = this.#open; extra > 0 && !this.#isBroken; extra--) {
      this.#isBroken = this.#cursor.next() !== "}"
      this.#cursor.skip()
    }
    this.#pop()
  }

  /** A container's own closing character is missing where the one around it ends: the next step closes that one. */
  #closeForMissing(isObject: boolean): void {
    const fits = this.#open.around === (isObject ? "array" : "object")
    const isSure = !isObject || this.#open.openTail <= this.#open.depth
    this.#isBroken = this.#expected !== "comma" || !fits || !isSure || ++this.#closingsMissing > 1
    this.#isBracketMissing ||= !isObject
    this.#pop()
  }

  /** The text ends, or goes on with something else, where only the root's closing brace is missing. */
  #endUnclosed(): void {
    const isWhole = this.#open.depth === 1 && this.#open.extra === 0 && (this.#expected === "comma" || this.#expected === "name")
    this.#isBroken = !isWhole || this.#isWordLast || ++this.#closingsMissing > 1
    this.#isUnclosed = true
    this.#openTail = this.#open.openTail
    this.#pop()
  }

  #pop(): void {
    this.#open.pop()
    this.#builder.close()
    this.#isWordLast = false
    this.#expected = "comma"
  }
}
