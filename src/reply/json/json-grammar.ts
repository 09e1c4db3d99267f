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

/** The repairs after which a value may mean something else. */
export interface GrammarRepairs {
  /** A closing brace or bracket inside the value was missing. */
  lacksClosing: boolean
  /** The last closing brace was missing. */
  isUnclosed: boolean
  /**
   * The depth of the deepest object that has several members, stands directly in an object, and ends where the members of an unclosed
   * value end; 0 for none. Its own brace may be the missing one: with that before one of its commas the text would be the same.
   */
  openTail: number
  /** Two repairs met that could as well mean something else. */
  isGuess: boolean
}

interface Container {
  readonly isObject: boolean
  members: number
  /** Braces too many with which it began, and with which it has to end. */
  extra: number
  /** True if the last member is a list. */
  endsInList: boolean
  /** See {@link GrammarRepairs.openTail}. */
  openTail: number
}

/** The next token. `brace` is one more closing brace, for an object that began with two. */
type NextToken = "name" | "colon" | "value" | "comma" | "brace"

/**
 * The grammar of JSON over its structural characters. It knows the open containers and the next token.
 * {@link JsonGrammar.accept} takes characters that JSON allows. {@link JsonGrammar.mend} takes others that can mean only one
 * thing (T21): commas missing or too many, doubled braces, and one closing brace or bracket that is missing.
 */
export class JsonGrammar {
  readonly #sink: JsonSink
  readonly #open: Container[] = []
  /** How many containers are open. */
  depth = 0
  expected: NextToken = "value"
  /** True once a first colon was read: from here it is more than a brace in prose. */
  colonSeen = false
  readonly repairs: GrammarRepairs = { lacksClosing: false, isUnclosed: false, openTail: 0, isGuess: false }
  #bracketMissing = false
  #itemCommaMissing = false
  /** The last value had no quotes, and may have been cut off. */
  #isWordLast = false

  constructor(sink: JsonSink) {
    this.#sink = sink
  }

  /** How many of them are objects. */
  get objectDepth(): number {
    return this.#open.filter(({ isObject }) => isObject).length
  }

  /** The kind of the innermost container. */
  get inside(): "object" | "array" {
    return this.#open.at(-1)?.isObject === false ? "array" : "object"
  }

  /** Takes a structural character where JSON allows it; false where it does not. */
  accept(character: string): boolean {
    const container = this.#open.at(-1)
    switch (character) {
      case "{":
      case "[":
        if (this.expected !== "value") return false
        this.open(character === "{")
        return true
      case "}":
      case "]": {
        const isObject = character === "}"
        const mayBeEmpty = this.expected === (isObject ? "name" : "value") && container?.members === 0
        const fits = this.expected === "comma" || this.expected === "brace" || mayBeEmpty
        if (!fits || container?.isObject !== isObject) return false
        this.#close()
        return true
      }
      case ":":
        if (this.expected !== "colon") return false
        this.colonSeen = true
        this.expected = "value"
        return true
      case ",":
        if (this.expected !== "comma") return false
        this.expected = container?.isObject === false ? "value" : "name"
        return true
      default:
        return false
    }
  }

  open(isObject: boolean): void {
    this.#open.push({ isObject, members: 0, extra: 0, endsInList: false, openTail: 0 })
    this.depth++
    this.expected = isObject ? "name" : "value"
    this.#sink.open(isObject ? "object" : "array")
  }

  /** A string or a scalar was read; `isWord` for words without quotes. */
  valueEnds(isWord = false): void {
    const container = this.#open.at(-1)
    if (container) {
      container.members++
      container.endsInList = false
      container.openTail = 0
    }
    this.#isWordLast = isWord
    this.expected = "comma"
  }

  /** Mends a structural character that {@link accept} refused. `again` leaves it to be read anew in a mended place. */
  mend(character: string): "read" | "again" | "broken" {
    const expected = this.expected
    const isEmpty = this.#open.at(-1)?.members === 0
    if (expected === "colon" || expected === "brace") return "broken"
    if (character === "}" || character === "]") return this.#mendClosing(character === "}")
    if (expected === "comma") {
      this.#itemCommaMissing ||= this.inside === "array"
      this.repairs.isGuess = this.#bracketMissing && this.#itemCommaMissing
      this.accept(",")
      return "again"
    }
    if (character === "," && (expected === "name" || (this.inside === "array" && !isEmpty))) return "read"
    if (character !== "{" || expected !== "name") return "broken"
    const container = this.#open.at(-1)
    if (!isEmpty || container === undefined) return this.depth === 1 ? this.endUnclosed() : "broken"
    container.extra++
    return "read"
  }

  /** Ends the value where the text ends, or goes on with something else, and only the last closing brace is missing. */
  endUnclosed(): "again" | "broken" {
    const isWhole = this.depth === 1 && this.#open[0]?.extra === 0 && (this.expected === "comma" || this.expected === "name")
    if (!isWhole || this.#isWordLast || this.repairs.lacksClosing) return "broken"
    this.repairs.isUnclosed = true
    this.repairs.openTail = this.#open[0]?.openTail ?? 0
    this.#close()
    return "again"
  }

  #mendClosing(isObject: boolean): "read" | "again" | "broken" {
    const isInObject = this.inside === "object"
    if (isInObject !== isObject) return isInObject && this.depth === 1 ? this.endUnclosed() : this.#closeForMissing(isInObject)
    if (isInObject && this.expected === "value") return "broken"
    this.#close()
    return "read"
  }

  /** A container's own closing character is missing where the one around it ends. */
  #closeForMissing(isObject: boolean): "again" | "broken" {
    const [container, around] = [this.#open.at(-1), this.#open.at(-2)]
    const fits = around !== undefined && around.isObject !== isObject
    // A list of one list may be one whose bracket was written twice.
    const isDoubled = !isObject && container?.members === 1 && container.endsInList
    const isSure = isObject ? (container?.openTail ?? 0) <= this.depth : !isDoubled
    if (this.expected !== "comma" || !fits || !isSure || this.repairs.lacksClosing) return "broken"
    this.repairs.lacksClosing = true
    this.#bracketMissing ||= !isObject
    this.repairs.isGuess = this.#bracketMissing && this.#itemCommaMissing
    this.#pop()
    return "again"
  }

  /** Closes the innermost container, or the brace too many with which it began. */
  #close(): void {
    const container = this.#open.at(-1)
    if (container && container.extra > 0) {
      container.extra--
      this.expected = "brace"
    } else this.#pop()
  }

  #pop(): void {
    const closed = this.#open.pop()
    const depth = this.depth--
    this.#sink.close()
    this.valueEnds()
    const around = this.#open.at(-1)
    if (closed === undefined || around === undefined) return
    around.endsInList = !closed.isObject
    const own = closed.isObject && around.isObject && closed.members > 1 ? depth : 0
    around.openTail = Math.max(closed.openTail, own)
  }
}
