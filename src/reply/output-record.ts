import type { Candidate, Outcome } from "./candidate.ts"
import { TextPieces } from "./incoming-text.ts"

/** What is kept of planner output while nothing of it is shown: its text without thinking, and the objects found in it. */
export class OutputRecord {
  readonly #pieces = new TextPieces()
  #candidates: Candidate[] = []
  #others: { readonly start: number; readonly end: number }[] = []

  /** UTF-16 units so far. */
  get length(): number {
    return this.#pieces.length
  }

  /** What was recorded so far. */
  get text(): string {
    return this.#pieces.join()
  }

  /** True while no object was found. */
  get isPlain(): boolean {
    return this.#candidates.length === 0 && this.#others.length === 0
  }

  get hasCandidate(): boolean {
    return this.#candidates.length > 0
  }

  add(run: string): void {
    this.#pieces.add(run)
  }

  addCandidate(candidate: Omit<Candidate, "end">): void {
    this.#candidates.push({ ...candidate, end: this.#pieces.length })
  }

  /** Keeps the place of a whole object without an action, which ends here. */
  addOther(start: number): void {
    this.#others.push({ start, end: this.#pieces.length })
  }

  /** Empties it and hands back the text. */
  forget(): string {
    this.#candidates = []
    this.#others = []
    return this.#pieces.take()
  }

  outcome(inThought: boolean): Outcome {
    return { text: this.#pieces.join(), candidates: this.#candidates, others: this.#others, inThought }
  }
}
