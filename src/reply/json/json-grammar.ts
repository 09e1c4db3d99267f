/** Receives a JSON value piece by piece, in document order. */
export interface JsonSink {
  open(kind: "object" | "array"): void
  close(): void
  /** A whole member name, decoded. */
  key(name: string): void
  /** A decoded piece of a string value, and whether an escape stood for it; {@link JsonSink.textEnd} follows the last. */
  text(part: string, isEscape: boolean): void
  /** A quote seems to end the string value. True makes the reader look at what follows before it decides. */
  mayGoOn?(): boolean
  /** The string value goes on: the quote that seemed to end it comes next, as one of its words. */
  goesOn?(): void
  textEnd(): void
  /** A whole number, `true`, `false` or `null`, as written. */
  scalar(raw: string): void
  /** True once the sink wants no more, although there is more to read. */
  readonly ended?: boolean
}

interface Container {
  readonly isObject: boolean
  members: number
  /** Braces too many with which it began, and with which it has to end. */
  extra: number
  /** See {@link JsonGrammar.openTail}. */
  openTail: number
}

/** What may come next. `brace` is one more closing brace, for an object that began with two. */
type Expected = "name" | "colon" | "value" | "comma" | "brace"

/**
 * JSON's grammar over its structural characters: what is open, and what may come next. {@link JsonGrammar.accept} takes
 * what JSON allows. {@link JsonGrammar.mend} takes what it does not allow but what can mean only one thing (T21): commas
 * missing or too many, doubled braces, and one closing brace or bracket that is missing.
 */
export class JsonGrammar {
  readonly #sink: JsonSink
  readonly #open: Container[] = []
  #expected: Expected = "value"
  #colonSeen = false
  #closingMissing = false
  #bracketMissing = false
  #itemCommaMissing = false
  #isUnclosed = false
  #openTail = 0
  /** The last value had no quotes, and may have been cut off. */
  #isWordLast = false

  constructor(sink: JsonSink) {
    this.#sink = sink
  }

  get expected(): Expected {
    return this.#expected
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#open.length
  }

  /** How many of them are objects. */
  get objectDepth(): number {
    return this.#open.filter(({ isObject }) => isObject).length
  }

  /** The kind of the innermost container. */
  get inside(): "object" | "array" {
    return this.#open.at(-1)?.isObject === false ? "array" : "object"
  }

  /** True once a first colon was read: from here it is more than a brace in prose. */
  get colonSeen(): boolean {
    return this.#colonSeen
  }

  /** True when a closing brace or bracket inside the value was missing. */
  get lacksClosing(): boolean {
    return this.#closingMissing && !this.#isUnclosed
  }

  /** True when the last closing brace was missing. */
  get isUnclosed(): boolean {
    return this.#isUnclosed
  }

  /** True when two repairs met that could as well mean something else. */
  get isGuess(): boolean {
    return this.#bracketMissing && this.#itemCommaMissing
  }

  /**
   * The greatest depth of an object, directly in an object, that ends where the unclosed value's members end and that has
   * several members: were the brace missing before one of its commas, the text would be the same. 0 for none.
   */
  get openTail(): number {
    return this.#openTail
  }

  /** Takes a structural character where JSON allows it; false where it does not. */
  accept(character: string): boolean {
    switch (character) {
      case "{":
      case "[":
        if (this.#expected !== "value") return false
        this.open(character === "{")
        return true
      case "}":
      case "]":
        return this.#closes(character === "}")
      case ":":
        if (this.#expected !== "colon") return false
        this.#colonSeen = true
        this.#expected = "value"
        return true
      case ",":
        if (this.#expected !== "comma") return false
        this.#expected = this.inside === "object" ? "name" : "value"
        return true
      default:
        return false
    }
  }

  open(isObject: boolean): void {
    this.#open.push({ isObject, members: 0, extra: 0, openTail: 0 })
    this.#expected = isObject ? "name" : "value"
    this.#sink.open(isObject ? "object" : "array")
  }

  /** A member's name was read. */
  nameEnds(): void {
    this.#expected = "colon"
  }

  /** A string or a scalar was read; `isWord` for words without quotes. */
  valueEnds(isWord = false): void {
    const container = this.#open.at(-1)
    if (container) {
      container.members++
      container.openTail = 0
    }
    this.#isWordLast = isWord
    this.#expected = "comma"
  }

  /** Mends a structural character that {@link accept} refused. `again` leaves it to be read anew in a mended place. */
  mend(character: string): "read" | "again" | "broken" {
    const expected = this.#expected
    const isEmpty = this.#open.at(-1)?.members === 0
    if (expected === "colon" || expected === "brace") return "broken"
    if (character === "}" || character === "]") return this.#mendClosing(character === "}")
    if (expected === "comma") return this.#mendComma()
    if (character === "," && (expected === "name" || (this.inside === "array" && !isEmpty))) return "read"
    if (character !== "{" || expected !== "name") return "broken"
    const container = this.#open.at(-1)
    if (!isEmpty || container === undefined) return this.depth === 1 ? this.endUnclosed() : "broken"
    container.extra++
    return "read"
  }

  /** Ends the value where the text ends, or goes on with something else, and only the last closing brace is missing. */
  endUnclosed(): "again" | "broken" {
    const isWhole = this.depth === 1 && this.#open[0]?.extra === 0 && (this.#expected === "comma" || this.#expected === "name")
    if (!isWhole || this.#isWordLast || this.#closingMissing) return "broken"
    this.#closingMissing = true
    this.#isUnclosed = true
    this.#openTail = this.#open[0]?.openTail ?? 0
    this.#close()
    return "again"
  }

  #closes(isObject: boolean): boolean {
    const container = this.#open.at(-1)
    const mayBeEmpty = this.#expected === (isObject ? "name" : "value") && container?.members === 0
    const fits = this.#expected === "comma" || this.#expected === "brace" || mayBeEmpty
    if (!fits || container?.isObject !== isObject) return false
    this.#close()
    return true
  }

  #mendClosing(isObject: boolean): "read" | "again" | "broken" {
    const isInObject = this.inside === "object"
    if (isInObject !== isObject) return isInObject && this.depth === 1 ? this.endUnclosed() : this.#closeForMissing(isInObject)
    if (isInObject && this.#expected === "value") return "broken"
    this.#close()
    return "read"
  }

  /** A container's own closing character is missing where the one around it ends. */
  #closeForMissing(isObject: boolean): "again" | "broken" {
    const [container, around] = [this.#open.at(-1), this.#open.at(-2)]
    const fits = around !== undefined && around.isObject !== isObject
    const isSure = !isObject || (container?.openTail ?? 0) <= this.depth
    if (this.#expected !== "comma" || !fits || !isSure || this.#closingMissing) return "broken"
    this.#closingMissing = true
    this.#bracketMissing ||= !isObject
    this.#pop()
    return "again"
  }

  #mendComma(): "again" {
    this.#itemCommaMissing ||= this.inside === "array"
    this.accept(",")
    return "again"
  }

  /** Closes the innermost container, or the brace too many with which it began. */
  #close(): void {
    const container = this.#open.at(-1)
    if (container && container.extra > 0) {
      container.extra--
      this.#expected = "brace"
    } else this.#pop()
  }

  #pop(): void {
    const depth = this.depth
    const closed = this.#open.pop()
    this.#sink.close()
    this.valueEnds()
    const around = this.#open.at(-1)
    if (closed === undefined || around === undefined) return
    const own = closed.isObject && around.isObject && closed.members > 1 ? depth : 0
    around.openTail = Math.max(closed.openTail, own)
  }
}
