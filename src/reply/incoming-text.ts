import type { Reader } from "../core/reader.ts"

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

/**
 * Adds a piece to the pieces of a text, of which `join` makes the text, and joins them now and then. A chain of thousands of strings,
 * which `+=` makes, costs the garbage collector more than everything else that is done with a piece, and so does a long list.
 */
export function addPiece(pieces: string[], piece: string): void {
  if (pieces.push(piece) > 128) pieces[0] += pieces.splice(1).join("")
}

/** True for the first half of a pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** True for the second half of a pair. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The characters that all readers of answers have looked at. Tests see by it that the work is linear in the text. */
export const readingWork = { steps: 0 }
