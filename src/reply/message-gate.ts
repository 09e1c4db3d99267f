import { TextPieces } from "./text-pieces.ts"

/**
 * Lets a message's characters out as soon as that is right: not before the action is known, and not before the first
 * visible character, since a blank message is none (T14, T23). What went out, joined, is always a beginning of the text.
 */
export class MessageGate {
  readonly #emit: (delta: string) => void
  readonly #pieces = new TextPieces()
  #isOpen = false
  #isVisible = false
  #shown = false

  constructor(emit: (delta: string) => void) {
    this.#emit = emit
  }

  /** True once a character went out: from here nothing can be taken back (T21). */
  get shown(): boolean {
    return this.#shown
  }

  /** Everything put in so far. */
  get text(): string {
    return this.#pieces.join()
  }

  open(): void {
    this.#isOpen = true
    if (this.#isVisible) this.#begin()
  }

  put(part: string): void {
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
