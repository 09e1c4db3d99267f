import type { Decision } from "./decision.ts"
import { DecisionMembers } from "./decision-members.ts"
import { interpretDecision } from "./interpret-decision.ts"
import { JsonScanner } from "./json-scanner.ts"
import { type Candidate, climbLadder } from "./ladder.ts"
import { isLooseStop, LooseObject } from "./loose-object.ts"
import { OutputRecord } from "./output-record.ts"
import { settle, settleUnfinishedFinish } from "./settle.ts"
import type { StepCount } from "./step-count.ts"
import { TagScanner, type TagSink } from "./tag-scanner.ts"

/** Reads planner output as it comes: `feed` well-formed pieces, then `end` once. */
export interface OutputScan {
  feed(piece: string): void
  end(): Decision
}

/** Receives what a scan shows. */
export type Show = (type: "message" | "thinking", delta: string) => void

/** What follows a brace that begins no JSON, before a colon, is at most this long: else the brace was prose. */
const maxBareNameCharacters = 40
const endsBareName = new Set(["{", "}", "[", "]", "<", ">", ",", ";", "\n", "\r"])

/**
 * Finds the decision in planner output (T21–T23), each character read once. The first whole object with an `action`
 * counts. An object that turns out to be no JSON is followed to its end, so that nothing inside it passes for a decision;
 * where it mentions an action, nothing after it is shown before the end, when repair is tried.
 */
export class DecisionScan implements OutputScan {
  readonly #show: Show
  readonly #count: StepCount
  readonly #tags: TagScanner
  readonly #record = new OutputRecord()
  #mode: "prose" | "object" | "bare-name" | "loose" | "decided" | "over" = "prose"
  /** Where the object at hand begins. */
  #start = 0
  #members: DecisionMembers
  #scanner: JsonScanner
  #loose: LooseObject | undefined
  #bareName = ""

  constructor(options: { readonly opensInThought: boolean }, show: Show, count: StepCount) {
    this.#show = show
    this.#count = count
    this.#tags = new TagScanner(this.#tagSink(), options.opensInThought, count)
    this.#members = this.#newMembers()
    this.#scanner = new JsonScanner(this.#members, count)
  }

  feed(piece: string): void {
    for (let index = 0; index < piece.length && this.#mode !== "over"; ) index = this.#step(piece, index)
  }

  end(): Decision {
    if (this.#members.gate.shown) return this.#endShown()
    this.#tags.end()
    if (this.#mode === "object" || this.#mode === "loose") this.#addCandidate("unfinished")
    this.#count.steps += this.#record.length
    return climbLadder(this.#record.outcome(this.#tags.inThought), this.#count)
  }

  #step(piece: string, index: number): number {
    switch (this.#mode) {
      case "object":
        return this.#readObject(piece, index)
      case "bare-name":
        return this.#readBareName(piece, index)
      case "loose":
        return this.#readLoose(piece, index)
      case "prose":
        return this.#readProse(piece, index)
      default:
        return this.#tags.scan(piece, index, () => false)
    }
  }

  #readProse(piece: string, index: number): number {
    const stop = this.#tags.scan(piece, index, isBrace)
    if (stop === piece.length || !isBrace(piece.charCodeAt(stop))) return stop
    this.#tags.interrupt()
    this.#start = this.#record.length
    this.#members = this.#newMembers()
    this.#scanner = new JsonScanner(this.#members, this.#count)
    this.#mode = "object"
    return stop
  }

  #readObject(piece: string, index: number): number {
    const end = this.#scanner.feed(piece, index)
    if (!this.#members.gate.shown) this.#record.add(piece.slice(index, end))
    else if (this.#record.length > 0) this.#record.forget()
    if (this.#scanner.state === "closed") this.#endObject()
    else if (this.#scanner.state === "broken") this.#breakObject()
    return end
  }

  #endObject(): void {
    if (this.#members.gate.shown) this.#mode = "over"
    else if (this.#members.actionSeen) {
      this.#addCandidate("whole")
      this.#mode = "decided"
    } else {
      this.#record.addOther(this.#start)
      this.#mode = "prose"
    }
  }

  #breakObject(): void {
    const { depth, expectsToken, colonSeen } = this.#scanner
    this.#bareName = ""
    if (this.#members.gate.shown) this.#mode = "over"
    else if (colonSeen) this.#follow({ depth, expectsToken, mentionsAction: this.#members.actionSeen })
    else this.#mode = "bare-name"
  }

  /** After a brace that begins no JSON: a name and a colon make it an object all the same, anything else prose. */
  #readBareName(piece: string, index: number): number {
    const character = piece.charAt(index)
    this.#count.steps++
    const isColon = character === ":"
    const isNoName = isColon ? this.#bareName.trim() === "" : endsBareName.has(character)
    if (isNoName || this.#bareName.length === maxBareNameCharacters) {
      this.#mode = "prose"
      return index
    }
    this.#bareName += character
    this.#record.add(character)
    if (isColon) this.#follow({ depth: 1, expectsToken: true, mentionsAction: this.#bareName.includes("action") })
    return index + 1
  }

  #follow(from: ConstructorParameters<typeof LooseObject>[0]): void {
    this.#loose = new LooseObject(from, this.#count)
    this.#mode = "loose"
  }

  #readLoose(piece: string, index: number): number {
    const loose = this.#loose
    if (loose?.inString) {
      const end = loose.readString(piece, index)
      this.#record.add(piece.slice(index, end))
      return end
    }
    const stop = this.#tags.scan(piece, index, isLooseStop)
    if (stop === piece.length || this.#mode !== "loose" || !isLooseStop(piece.charCodeAt(stop))) return stop
    this.#tags.interrupt()
    this.#record.add(piece.charAt(stop))
    loose?.accept(piece.charCodeAt(stop))
    if (loose?.closed) {
      if (loose.mentionsAction) this.#addCandidate("loose")
      this.#mode = "prose"
    }
    return stop + 1
  }

  #endShown(): Decision {
    if (this.#scanner.state !== "closed") return settleUnfinishedFinish(this.#members)
    const exact = !this.#scanner.flawed && !this.#members.understood
    return settle(interpretDecision(this.#members.values, this.#count), exact ? "complete" : "repaired", "", 0)
  }

  #tagSink(): TagSink {
    return {
      text: (run) => {
        this.#record.add(run)
        if (this.#mode === "loose") this.#loose?.text(run)
      },
      thinking: (run) => this.#show("thinking", run),
      thoughtOpens: () => {},
      orphan: () => this.#forget(),
    }
  }

  /** All before an orphan closing tag was thinking (T22): nothing of it was shown yet. */
  #forget(): void {
    this.#count.steps += this.#record.length
    this.#show("thinking", this.#record.forget())
    this.#mode = "prose"
  }

  #newMembers(): DecisionMembers {
    return new DecisionMembers(!this.#record.hasCandidate, (delta) => this.#show("message", delta))
  }

  #addCandidate(form: Candidate["form"]): void {
    this.#record.addCandidate({ form, start: this.#start, members: this.#members, flawed: this.#scanner.flawed })
  }
}

function isBrace(code: number): boolean {
  return code === 0x7b
}
