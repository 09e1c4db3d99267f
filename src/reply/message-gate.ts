import { TextPieces } from "./incoming-text.ts"
import type { MessageTail } from "./message-tail.ts"

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
