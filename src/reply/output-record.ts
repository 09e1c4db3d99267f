import type { DecisionMembers } from "./decision-members.ts"
import type { JsonReader } from "./json/json-reader.ts"
import { beginsWithMember, isTorn, maxAfterCharacters } from "./outside-object.ts"

/** An object in the output that is being read, or was read. Offsets are UTF-16 units of the output without its thinking. */
export interface FoundObject {
  readonly start: number
  readonly members: DecisionMembers
  readonly reader: JsonReader
  /** Its characters, while they are read as JSON and nothing of them is shown. */
  text: string
}

/** An object that may be the decision. */
export interface Candidate extends Pick<FoundObject, "start" | "members" | "reader"> {
  readonly end: number
  /** `whole` is JSON with an `action`; `loose` is no JSON but seems to end with its brace; `unfinished` has no end. */
  readonly form: "whole" | "loose" | "unfinished"
}

/**
 * Keeps planner output while nothing of it is shown: its text without thinking, and the objects found in it. It also knows
 * whether a message may still be shown as it comes. That ends with the first object that may be a decision, and with text
 * that was meant for a decision although no object in it is one (T21).
 */
export class OutputRecord {
  /** The text so far. */
  text = ""
  candidates: Candidate[] = []
  /** Whole objects without an `action`. */
  others: { readonly start: number; readonly end: number }[] = []
  #isMangled: boolean | undefined
  /** The text after the last object without an action. */
  #after: string | undefined

  /** True while the next object's message may be shown as it comes. */
  get mayStream(): boolean {
    return this.candidates.length === 0 && this.#isMangled !== true
  }

  /** Adds text outside objects. */
  addProse(run: string): void {
    this.text += run
    if (this.#after !== undefined && this.#after.length < maxAfterCharacters) this.#after += run
  }

  /** A brace opens here. */
  braceOpens(): void {
    this.#isMangled ??= beginsWithMember(this.text)
    this.#isMangled ||= this.#after !== undefined && isTorn(this.#after, 0)
    this.#after = undefined
  }

  /** Keeps the place of a whole object without an action, which ends here. */
  addOther(start: number): void {
    this.others.push({ start, end: this.text.length })
    this.#after = ""
  }

  /** Empties it and hands back the text. */
  forget(): string {
    this.candidates = []
    this.others = []
    const { text } = this
    this.text = ""
    return text
  }
}
