import type { Candidate } from "./candidate.ts"
import type { Decision } from "./decision.ts"
import { DecisionMembers } from "./decision-members.ts"
import { interpretDecision } from "./interpret-decision.ts"
import { climbLadder } from "./ladder.ts"
import { LooseObject } from "./loose-object.ts"
import { isQuoteOrStructure } from "./loose-syntax.ts"
import { MangledWatch } from "./mangled-watch.ts"
import { ObjectOpening } from "./object-opening.ts"
import { ObjectScan } from "./object-scan.ts"
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

const fullWidthBrace = "｛"

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
  #mode: "prose" | "object" | "opening" | "loose" | "decided" | "over" = "prose"
  /** Where the object at hand begins. */
  #start = 0
  #object: ObjectScan
  #opening = new ObjectOpening()
  #loose: LooseObject | undefined
  readonly #watch = new MangledWatch()

  constructor(options: { readonly opensInThought: boolean }, show: Show, count: StepCount) {
    this.#show = show
    this.#count = count
    this.#tags = new TagScanner(this.#tagSink(), options.opensInThought, count)
    this.#object = this.#newObject()
  }

  feed(piece: string): void {
    for (let index = 0; index < piece.length && this.#mode !== "over"; ) index = this.#step(piece, index)
  }

  end(): Decision {
    if (this.#object.members.gate.shown) return this.#endShown()
    this.#tags.end()
    if (this.#mode === "object" || this.#mode === "loose") this.#addCandidate("unfinished")
    if (this.#mode === "opening" && this.#record.isPlain) this.#addCandidate("loose")
    this.#count.steps += this.#record.length
    return climbLadder(this.#record.outcome(this.#tags.inThought), this.#count)
  }

  #step(piece: string, index: number): number {
    switch (this.#mode) {
      case "object":
        return this.#readObject(piece, index)
      case "opening":
        return this.#readOpening(piece, index)
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
    this.#watch.braceOpens(() => this.#record.text)
    this.#object = this.#newObject()
    if (piece.charAt(stop) !== fullWidthBrace) {
      this.#mode = "object"
      return stop
    }
    this.#record.add(fullWidthBrace)
    this.#open("")
    return stop + 1
  }

  #readObject(piece: string, index: number): number {
    const { members } = this.#object
    const end = this.#object.feed(piece, index)
    if (!members.gate.shown) this.#record.add(piece.slice(index, end))
    else if (this.#record.length > 0) this.#record.forget()
    const { state } = this.#object
    if (state === "closed") this.#endObject()
    else if (state === "broken") this.#breakObject()
    else if (state === "over") this.#mode = "over"
    return end
  }

  #endObject(): void {
    if (this.#object.members.gate.shown) this.#mode = "over"
    else if (this.#object.members.actionSeen) {
      this.#addCandidate("whole")
      this.#mode = "decided"
    } else {
      this.#record.addOther(this.#start)
      this.#watch.otherEnded()
      this.#mode = "prose"
    }
  }

  #breakObject(): void {
    const { members, lead, brokenAt } = this.#object
    if (members.gate.shown) this.#mode = "over"
    else if (lead === "") this.#follow({ ...brokenAt, mentionsAction: members.mentionsDecision })
    else this.#open(lead.slice(1))
  }

  /** After a brace that begins no JSON: a name and a colon make it an object all the same, anything else prose. */
  #open(read: string): void {
    this.#opening = new ObjectOpening()
    this.#mode = "opening"
    for (let index = 0; index < read.length && this.#mode === "opening"; index++) this.#settleOpening(read.charAt(index))
  }

  #readOpening(piece: string, index: number): number {
    this.#count.steps++
    this.#settleOpening(piece.charAt(index))
    if (this.#mode === "prose") return index
    this.#record.add(piece.charAt(index))
    return index + 1
  }

  #settleOpening(character: string): void {
    const found = this.#opening.feed(character)
    if (found === "prose") this.#mode = "prose"
    if (found !== "object") return
    const mentionsAction = /action|tool|args/.test(this.#opening.name)
    this.#follow({ depth: 1, expectsToken: true, mentionsAction })
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
    const stop = this.#tags.scan(piece, index, isQuoteOrStructure)
    if (stop === piece.length || this.#mode !== "loose" || !isQuoteOrStructure(piece.charCodeAt(stop))) return stop
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
    this.#object.end()
    const { members, state, flawed } = this.#object
    if (state !== "closed") return settleUnfinishedFinish(members)
    const exact = !flawed && !members.understood
    return settle(interpretDecision(members.values, this.#count), exact ? "complete" : "repaired", "", 0)
  }

  #tagSink(): TagSink {
    return {
      text: (run) => {
        this.#record.add(run)
        if (this.#mode === "loose") this.#loose?.text(run)
        else this.#watch.text(run)
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

  #newObject(): ObjectScan {
    const options = { streams: !this.#record.hasCandidate && !this.#watch.isMangled, isTolerant: true }
    const members = new DecisionMembers(options, (delta) => this.#show("message", delta))
    return new ObjectScan(members, this.#count)
  }

  #addCandidate(form: Candidate["form"]): void {
    const { members, flawed } = this.#object
    this.#record.addCandidate({ form, start: this.#start, members, flawed })
  }
}

function isBrace(code: number): boolean {
  return code === 0x7b || code === 0xff5b
}
