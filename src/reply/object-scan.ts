import type { DecisionMembers } from "./decision-members.ts"
import { JsonScanner } from "./json-scanner.ts"
import { type QuoteFate, QuoteLookahead } from "./quote-lookahead.ts"
import type { StepCount } from "./step-count.ts"

/**
 * Reads one object of planner output as it comes. Of JSON's grammar it is strict, so that what is broken can be read
 * whole at the end; but a message that is being shown cannot be read again: where a quote seems to end it, what follows
 * is waited for, and a quotation mark among the words is taken for one.
 */
export class ObjectScan {
  readonly members: DecisionMembers
  readonly #scanner: JsonScanner
  readonly #count: StepCount
  #lookahead: QuoteLookahead | undefined
  #held = ""
  #isQuotationOpen = false
  #isOver = false
  #lead = ""

  constructor(members: DecisionMembers, count: StepCount) {
    this.members = members
    this.#count = count
    this.#scanner = new JsonScanner(members, count)
  }

  /** `over`: it is unclear how a shown message goes on, so it ends where it is. */
  get state(): "open" | "closed" | "broken" | "over" {
    return this.#isOver || this.members.gate.ended ? "over" : this.#scanner.state
  }

  /** True when a string held something JSON does not allow. */
  get flawed(): boolean {
    return this.#scanner.flawed
  }

  /** What was read up to the first colon, whereafter it is empty. */
  get lead(): string {
    return this.#scanner.colonSeen ? "" : this.#lead
  }

  /** Where a broken object stands: how many objects are open, and whether a name or a value may begin. */
  get brokenAt(): { readonly depth: number; readonly expectsToken: boolean } {
    const { objectDepth, expectsToken } = this.#scanner
    return { depth: objectDepth, expectsToken }
  }

  /** Reads on from `from`; returns the place after what it read. */
  feed(piece: string, from: number): number {
    if (this.#lookahead) return this.#lookAhead(this.#lookahead, piece, from)
    const isLead = !this.#scanner.colonSeen
    const end = this.#scanner.feed(piece, from)
    if (isLead) this.#lead += piece.slice(from, end)
    if (this.state === "open" && this.members.paused) {
      const place = { inside: "object", quotes: '"', isOpen: this.#isQuotationOpen, mayPrecede: "objects" } as const
      this.#lookahead = new QuoteLookahead(place)
    }
    return end
  }

  /** No more comes: settles what was waited for. */
  end(): void {
    while (this.#lookahead) this.#settle(this.#lookahead.end())
  }

  #lookAhead(lookahead: QuoteLookahead, piece: string, index: number): number {
    this.#count.steps++
    this.#held += piece.charAt(index)
    const fate = lookahead.feed(piece.charAt(index))
    if (fate !== undefined) this.#settle(fate)
    return index + 1
  }

  /** The message ends, goes on, or ends for lack of knowing; what was read since its quote is read again. */
  #settle(fate: QuoteFate): void {
    const held = this.#held
    this.#held = ""
    this.#lookahead = undefined
    if (fate === "unclear") this.#isOver = true
    else if (fate === "closes") this.members.resume()
    else this.#reopen()
    for (let at = 0; at < held.length && this.state === "open"; ) at = this.feed(held, at)
  }

  #reopen(): void {
    this.#isQuotationOpen = !this.#isQuotationOpen
    this.#scanner.reopenString()
    this.members.reopen('"')
  }
}
