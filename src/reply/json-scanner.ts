import { JsonString } from "./json-string.ts"
import type { StepCount } from "./step-count.ts"

/** Receives a JSON value piece by piece, in document order. */
export interface JsonSink {
  open(kind: "object" | "array"): void
  close(): void
  /** A whole member name, decoded. */
  key(name: string): void
  /** A decoded piece of a string value, and whether an escape stood for it; {@link JsonSink.textEnd} follows the last. */
  text(part: string, isEscape: boolean): void
  textEnd(): void
  /** A whole number, `true`, `false` or `null`, as written. */
  scalar(raw: string): void
  /** True where the scanner is to stop for now, although there is more to read. */
  readonly paused?: boolean
}

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end"

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
/** No name spans lines: its closing quote is missing. */
const lineBreak = /[\n\r]/

/**
 * Reads one JSON object or array that arrives in pieces, each character once, at any depth without recursion. It is
 * JSON's grammar, save that string values tolerate what {@link JsonString} does.
 */
export class JsonScanner {
  readonly #sink: JsonSink
  readonly #count: StepCount
  readonly #string: JsonString
  /** The open containers: true for an object. */
  readonly #containers: boolean[] = []
  #state: "open" | "closed" | "broken" = "open"
  #expected: Expected = "value"
  #inString = false
  #key: string[] | undefined
  #keyBroken = false
  #scalar = ""
  #colonSeen = false

  constructor(sink: JsonSink, count: StepCount) {
    this.#sink = sink
    this.#count = count
    this.#string = new JsonString((part, isEscape) => {
      if (this.#key === undefined) sink.text(part, isEscape)
      else {
        this.#key.push(part)
        if (!isEscape && lineBreak.test(part)) this.#keyBroken = true
      }
    }, count)
  }

  get state(): "open" | "closed" | "broken" {
    return this.#state
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#containers.length
  }

  /** How many of them are objects. */
  get objectDepth(): number {
    return this.#containers.filter((isObject) => isObject).length
  }

  /** True when a string held something JSON does not allow. */
  get flawed(): boolean {
    return this.#string.flawed
  }

  /** True once a first member's colon was read: from here it is more than a brace in prose. */
  get colonSeen(): boolean {
    return this.#colonSeen
  }

  /** True where a name or a value may begin. */
  get expectsToken(): boolean {
    return this.#scalar === "" && this.#expected !== "colon" && this.#expected !== "comma-or-end"
  }

  /** The string value that ended last goes on: the quote after it was one of its words. */
  reopenString(): void {
    this.#string.reopen()
    this.#inString = true
    this.#expected = "value"
  }

  /**
   * Reads on from `from`; returns the place after the value's last character, of the first that does not fit, where the
   * sink paused, or the chunk's end.
   */
  feed(chunk: string, from: number): number {
    let index = from
    while (index < chunk.length && this.#state === "open" && this.#sink.paused !== true) {
      if (this.#inString) index = this.#readString(chunk, index)
      else if (this.#scalar !== "") index = this.#readScalar(chunk, index)
      else index = this.#readToken(chunk, index)
    }
    return index
  }

  #readString(chunk: string, from: number): number {
    const end = this.#string.read(chunk, from)
    if (!this.#string.closed) return end
    this.#inString = false
    if (this.#key) {
      const name = this.#key.join("")
      this.#key = undefined
      this.#expected = "colon"
      if (this.#keyBroken) this.#state = "broken"
      else this.#sink.key(name)
    } else {
      this.#sink.textEnd()
      this.#endValue()
    }
    return end
  }

  #readScalar(chunk: string, from: number): number {
    let index = from
    while (index < chunk.length && isScalarCode(chunk.charCodeAt(index))) index++
    this.#count.steps += index - from + 1
    this.#scalar += chunk.slice(from, index)
    if (index === chunk.length) return index
    const raw = this.#scalar
    if (raw !== "true" && raw !== "false" && raw !== "null" && !number.test(raw)) {
      this.#state = "broken"
      return index
    }
    this.#scalar = ""
    this.#sink.scalar(raw)
    this.#endValue()
    return index
  }

  /** Reads one character between strings and scalars, or finds that it does not fit. */
  #readToken(chunk: string, index: number): number {
    this.#count.steps++
    const code = chunk.charCodeAt(index)
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) return index + 1
    if (this.#accept(code)) return index + 1
    if (this.#expectsValue() && isScalarCode(code) && this.depth > 0) {
      this.#scalar = chunk.charAt(index)
      return index + 1
    }
    this.#state = "broken"
    return index
  }

  #accept(code: number): boolean {
    switch (code) {
      case 0x7b:
      case 0x5b:
        return this.#open(code === 0x7b)
      case 0x7d:
      case 0x5d:
        return this.#close(code === 0x7d)
      case 0x22:
        return this.#openString()
      case 0x3a:
        if (this.#expected !== "colon") return false
        this.#colonSeen = true
        this.#expected = "value"
        return true
      case 0x2c:
        if (this.#expected !== "comma-or-end") return false
        this.#expected = this.#containers.at(-1) ? "key" : "value"
        return true
      default:
        return false
    }
  }

  #open(isObject: boolean): boolean {
    if (!this.#expectsValue()) return false
    this.#containers.push(isObject)
    this.#expected = isObject ? "key-or-end" : "value-or-end"
    this.#sink.open(isObject ? "object" : "array")
    return true
  }

  #close(isObject: boolean): boolean {
    const fits = this.#expected === "comma-or-end" || this.#expected === (isObject ? "key-or-end" : "value-or-end")
    if (!fits || this.#containers.at(-1) !== isObject) return false
    this.#containers.pop()
    this.#sink.close()
    this.#endValue()
    return true
  }

  #openString(): boolean {
    const isKey = this.#expected === "key" || this.#expected === "key-or-end"
    if (!isKey && (!this.#expectsValue() || this.depth === 0)) return false
    this.#inString = true
    this.#key = isKey ? [] : undefined
    this.#string.begin()
    return true
  }

  #expectsValue(): boolean {
    return this.#expected === "value" || this.#expected === "value-or-end"
  }

  #endValue(): void {
    this.#expected = "comma-or-end"
    if (this.depth === 0) this.#state = "closed"
  }
}

function isScalarCode(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e
}
