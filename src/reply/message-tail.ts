import { isBlank } from "./json/loose-syntax.ts"

/**
 * Watches a message that streams for the end of an object whose closing quote is missing, or was taken for an escaped
 * one (T21). What may belong to that end waits until words follow: a raw line break, an escaped quote, a closing brace
 * that nothing in the message opened. After such a brace the message has ended where a new line begins.
 */
export class MessageTail {
  #depth = 0
  #held = ""
  #braceSeen = false
  #newlineSeen = false
  #ended = false

  /** True once the message was found to have ended: no more of the output belongs to it. */
  get ended(): boolean {
    return this.#ended
  }

  /** Takes a piece of the message; returns what may be shown, what was held before it included. */
  push(part: string, isEscape: boolean): string {
    if (this.#ended) return ""
    if (isEscape) return this.release() + this.#acceptEscape(part)
    if (this.#held === "" && !/[{}\n\r]/.test(part)) return part
    let shown = ""
    for (let index = 0; index < part.length && !this.#ended; index++) shown += this.#accept(part.charAt(index))
    return shown
  }

  /** The string seems to end: gives out what is no sign of its having ended before. */
  pause(): string {
    return /[},]/.test(this.#held) ? "" : this.release()
  }

  /** The string goes on although it seemed to end: what is still held was the end of it. */
  reopen(): void {
    this.#ended = this.#held !== ""
  }

  /** Gives out what was held: the message goes on, or its string was closed after all. */
  release(): string {
    const held = this.#held
    this.#held = ""
    this.#braceSeen = false
    this.#newlineSeen = false
    return held
  }

  /** An escaped brace is a word of the message, and so is the one that closes it. */
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
    this.#ended = this.#braceSeen && this.#newlineSeen && !isTail
    if (this.#ended) return ""
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
