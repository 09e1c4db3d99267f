import type { StepCount } from "./step-count.ts"
import { isHighSurrogate, isLowSurrogate } from "./well-formed.ts"

const quote = 0x22
const backslash = 0x5c
const escapes = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
])

/**
 * Decodes the inside of a JSON string that arrives in pieces (T23). Raw control characters and unknown escapes stand as
 * they are (`\'` is `'`) and count as a flaw; an escaped surrogate without its other half is U+FFFD. Expects well-formed
 * pieces, and holds back no more than one escape pair.
 */
export class JsonString {
  readonly #emit: (part: string, isEscape: boolean) => void
  readonly #count: StepCount
  #escape = ""
  #high = ""
  #closed = false
  #flawed = false

  /** `emit` gets the pieces in order, and whether an escape stood for one; an empty one as soon as a long escape begins. */
  constructor(emit: (part: string, isEscape: boolean) => void, count: StepCount) {
    this.#emit = emit
    this.#count = count
  }

  /** True once the closing quote was read. */
  get closed(): boolean {
    return this.#closed
  }

  /** True when something was tolerated that JSON does not allow. */
  get flawed(): boolean {
    return this.#flawed
  }

  /** Begins a new string, after its opening quote. */
  begin(): void {
    this.#escape = ""
    this.#high = ""
    this.#closed = false
  }

  /** The quote that closed the string was one of its words: the string goes on after it. */
  reopen(): void {
    this.#closed = false
    this.#flawed = true
  }

  /** Reads on from `from`; returns the place after the closing quote, or the chunk's end. */
  read(chunk: string, from: number): number {
    let index = from
    while (index < chunk.length && !this.#closed) {
      index = this.#escape === "" ? this.#readRun(chunk, index) : this.#readEscape(chunk, index)
    }
    return index
  }

  #readRun(chunk: string, from: number): number {
    let index = from
    let code = 0
    for (; index < chunk.length; index++) {
      code = chunk.charCodeAt(index)
      if (code === quote || code === backslash) break
      if (code < 0x20) this.#flawed = true
    }
    this.#count.steps += index - from + 1
    if (index > from) this.#put(chunk.slice(from, index), false)
    if (index === chunk.length) return index
    if (code === quote) this.#close()
    else this.#escape = "\\"
    return index + 1
  }

  #close(): void {
    this.#closed = true
    this.#put("", false)
  }

  #readEscape(chunk: string, index: number): number {
    this.#count.steps++
    const character = chunk.charAt(index)
    if (this.#escape !== "\\") return this.#readUnit(character, index)
    if (character === "u") {
      this.#escape = "\\u"
      this.#emit("", true)
      return index + 1
    }
    const decoded = escapes.get(character)
    if (decoded === undefined) return this.#tolerate(character === "'" ? "" : "\\", index)
    this.#escape = ""
    this.#put(decoded, true)
    return index + 1
  }

  #readUnit(character: string, index: number): number {
    if (!isHexDigit(character.charCodeAt(0))) return this.#tolerate(this.#escape, index)
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
    this.#flawed = true
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

  #put(text: string, isEscape: boolean): void {
    if (this.#high !== "") {
      this.#high = ""
      this.#emit("\uFFFD", true)
    }
    if (text !== "") this.#emit(text, isEscape)
  }
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}
