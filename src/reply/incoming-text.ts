import type { Reader } from "../core/reader.ts"

/** How many pieces stand apart: joined in blocks, a long text costs no more to keep than its characters. */
const blockPieces = 1_024

/** A text that grows by pieces and is joined when it is asked for: adding to it never copies what is there. */
export class TextPieces {
  #blocks: string[] = []
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
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

  /** Empties it and hands back what it was. */
  take(): string {
    const text = this.join()
    this.#blocks = []
    this.#pieces = []
    this.#length = 0
    return text
  }
}

/**
 * Passes text on so that no piece begins or ends inside a surrogate pair (T23): the first half waits for the second.
 * A surrogate without its other half becomes U+FFFD.
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

/** Counts the characters a reader looks at, so that a test can hold its work linear without a clock. */
export interface StepCount {
  steps: number
}
