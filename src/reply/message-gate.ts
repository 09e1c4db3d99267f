import { TextPieces } from "./incoming-text.ts"
import { isBlank } from "./json/loose-syntax.ts"

/**
 * Lets a message's characters out as soon as that is right: not before the action is known, and not before the first
 * visible character, since a blank message is none (T14, T23). What went out, joined, is always a beginning of the text.
 */
export class MessageGate {
  readonly #emit: (delta: string) => void
  readonly #tail: MessageTail | undefined
  readonly #pieces = new TextPieces()
  #isOpen = false
  #isVisible = false
  #shown = false

  /** With a `tail`, what may be the end of an object that lacks a quote is held back. */
  constructor(emit: (delta: string) => void, tail?: MessageTail) {
    this.#emit = emit
    this.#tail = tail
  }

  /** True once a character went out: from here nothing can be taken back (T21). */
  get shown(): boolean {
    return this.#shown
  }

  /** True once the message was found to have ended although its string goes on. */
  get ended(): boolean {
    return this.#tail?.ended === true
  }

  /** Everything put in so far, without what is held back. */
  get text(): string {
    return this.#pieces.join()
  }

  open(): void {
    this.#isOpen = true
    if (this.#isVisible) this.#begin()
  }

  /** Takes a piece of the message, and whether an escape stood for it. */
  put(part: string, isEscape: boolean): void {
    this.#let(this.#isOpen && this.#tail ? this.#tail.push(part, isEscape) : part)
  }

  /** The message's string seems to end: {@link close} or {@link reopen} follows. */
  pause(): void {
    this.#let(this.#tail?.pause() ?? "")
  }

  /** The message's string has ended: nothing is held back any more. */
  close(): void {
    this.#let(this.#tail?.release() ?? "")
  }

  /** The message's string goes on after all, with the quote that seemed to end it. */
  reopen(): void {
    this.#tail?.reopen()
  }

  #let(part: string): void {
    if (part === "") return
    this.#pieces.add(part)
    if (this.#shown) {
      this.#emit(part)
      return
    }
    if (!this.#isVisible) this.#isVisible = part.trim() !== ""
    if (this.#isOpen && this.#isVisible) this.#begin()
  }

  #begin(): void {
    if (this.#shown) return
    this.#shown = true
    this.#emit(this.text)
  }
}

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
