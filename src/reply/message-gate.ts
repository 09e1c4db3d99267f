import { TextPieces } from "./incoming-text.ts"
import { isBlank } from "./json/loose-syntax.ts"

/**
 * Emits the characters of a message as soon as they may be shown: when the action is known and a visible character has come,
 * since a blank message is none (T14, T23). The emitted characters, joined, are always a beginning of the message.
 */
export class MessageGate {
  readonly #emit: (delta: string) => void
  readonly #tail: MessageTail | undefined
  readonly #pieces = new TextPieces()
  #isOpen = false
  #isVisible = false
  /** True once a character was emitted. It cannot be taken back (T21). */
  shown = false

  /** With a `tail`, characters that may be the end of an object without a closing quote are held back. */
  constructor(emit: (delta: string) => void, tail?: MessageTail) {
    this.#emit = emit
    this.#tail = tail
  }

  /** True once the message has ended although its string goes on. */
  get ended(): boolean {
    return this.#tail?.ended === true
  }

  /** The message so far, without the characters that are held back. */
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

  /** The string of the message seems to end; {@link close} or {@link reopen} follows. */
  pause(): void {
    this.#let(this.#tail?.pause() ?? "")
  }

  /** The string of the message has ended; nothing is held back any more. */
  close(): void {
    this.#let(this.#tail?.release() ?? "")
  }

  /** The string of the message goes on after all, with the quote that seemed to end it. */
  reopen(): void {
    this.#tail?.reopen()
  }

  #let(part: string): void {
    if (part === "") return
    this.#pieces.add(part)
    if (this.shown) {
      this.#emit(part)
      return
    }
    if (!this.#isVisible) this.#isVisible = part.trim() !== ""
    if (this.#isOpen && this.#isVisible) this.#begin()
  }

  #begin(): void {
    if (this.shown) return
    this.shown = true
    this.#emit(this.text)
  }
}

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
    if (this.#held === "" && !/[{}\n\r]/.test(part)) return part
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
