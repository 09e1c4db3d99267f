import { isTorn, maxAfterCharacters } from "./after-object.ts"
import { beginsWithMember } from "./braceless.ts"

/**
 * Watches the text around objects for signs that it was meant for a decision, although no object in it is one: then
 * nothing that comes later may be shown before the end (T21).
 */
export class MangledWatch {
  #isMangled: boolean | undefined
  /** What followed the last object without an action. */
  #after: string | undefined

  get isMangled(): boolean {
    return this.#isMangled === true
  }

  /** An object without an action has ended. */
  otherEnded(): void {
    this.#after = ""
  }

  /** Text outside objects. */
  text(run: string): void {
    if (this.#after !== undefined && this.#after.length < maxAfterCharacters) this.#after += run
  }

  /** A brace opens after `lead`, which is asked for once. */
  braceOpens(lead: () => string): void {
    this.#isMangled ??= beginsWithMember(lead())
    this.#isMangled ||= this.#after !== undefined && isTorn(this.#after, 0)
    this.#after = undefined
  }
}
