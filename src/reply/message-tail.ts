import { isBlank } from "./json/loose-syntax.ts"

/** A character that may belong to the end of an object. */
export const mayEnd = /[{}\n\r]/

/**
 * Finds the end of a streaming message whose closing quote is missing or was escaped by mistake (T21). Characters that may
 * belong to the end of the object wait until words follow: a raw line break, an escaped quote, a closing brace that nothing
 * in the message opened. When a new line with words follows such a brace, the message has ended before it.
 */
export class MessageTail {
  #depth = 0
  #held = ""
  #braceSeen = false
  #newlineSeen = false
  /** True once the message has ended: the rest of the output does not belong to it. */
  ended = false

  /** Takes a piece of the message; returns the characters that may be shown now, also those held before. */
  push(part: string, isEscape: boolean): string {
    if (this.ended) return ""
    if (isEscape) return this.release() + this.#acceptEscape(part)
    if (this.#held === "" && !mayEnd.test(part)) return part
    let shown = ""
    for (let index = 0; index < part.length && !this.ended; index++) shown += this.#accept(part.charAt(index))
    return shown
  }

  /** The string seems to end. Returns the held characters, unless they may be the end of the object. */
  pause(): string {
    return /[},]/.test(this.#held) ? "" : this.release()
  }

  /** The string goes on although it seemed to end. The message has ended if characters are still held: they were its end. */
  reopen(): void {
    this.ended = this.#held !== ""
  }

  /** Returns the held characters: the message goes on, or its string was closed after all. */
  release(): string {
    const held = this.#held
    this.#held = ""
    this.#braceSeen = false
    this.#newlineSeen = false
    return held
  }

  /** Takes an escaped character. An escaped brace belongs to the message, and so does the brace that closes it. */
  #acceptEscape(part: string): string {
    if (part === "{") this.#depth++
    else if (part === "}" && this.#depth > 0) this.#depth--
    if (part !== '"') return part
    this.#held = part
    return ""
  }

  #accept(character: string): string {
    if (this.#held !== "" || isLineBreak(character)) return this.#extend(character)
    if (character === "{") this.#depth++
    else if (character === "}" && this.#depth > 0) this.#depth--
    else if (character === "}") return this.#extend(character)
    return character
  }

  #extend(character: string): string {
    const isBrace = character === "}" && this.#depth === 0
    const isTail = isBlank(character) || isBrace || character === "," || (this.#braceSeen && "]{".includes(character))
    this.ended = this.#braceSeen && this.#newlineSeen && !isTail
    if (this.ended) return ""
    if (!isTail) return this.release() + this.#accept(character)
    this.#held += character
    this.#braceSeen ||= isBrace
    this.#newlineSeen ||= this.#braceSeen && isLineBreak(character)
    return ""
  }
}

function isLineBreak(character: string): boolean {
  return character === "\n" || character === "\r"
}
