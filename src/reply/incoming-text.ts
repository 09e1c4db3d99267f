import type { Reader } from "../core/reader.ts"

/**
 * Pieces are joined in blocks of this number, so that a long text of small pieces does not take much more memory than one
 * string.
 */
const blockPieces = 1_024

/** A text that arrives in pieces. They are joined when the text is asked for, so that adding one copies nothing. */
export class TextPieces {
  #blocks: string[] = []
  #pieces: string[] = []
  #length = 0

  /** The length in UTF-16 units. */
  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    if (piece === "") return
    this.#length += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length < blockPieces) return
    this.#blocks.push(this.#pieces.join(""))
    this.#pieces = []
  }

  join(): string {
    return this.#blocks.join("") + this.#pieces.join("")
  }

  /** Empties it and returns the text. */
  take(): string {
    const text = this.join()
    this.#blocks = []
    this.#pieces = []
    this.#length = 0
    return text
  }
}

/**
 * Passes text on so that no piece begins or ends inside a surrogate pair (T23). The first half waits for the second. A
 * surrogate without its other half becomes U+FFFD.
 */
export function createWellFormedReader(): Reader<string, string> {
  let high = ""
  return {
    push(chunk) {
      if (chunk === "") return []
      const text = high + chunk
      high = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ""
      const whole = high === "" ? text : text.slice(0, -1)
      return whole === "" ? [] : [whole.toWellFormed()]
    },
    end() {
      const lone = high !== ""
      high = ""
      return lone ? ["\uFFFD"] : []
    },
  }
}

/** True for the first half of a pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** True for the second half of a pair. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Counts the characters a reader looks at, so that a test can prove linear work without a clock. */
export interface StepCount {
  steps: number
}
