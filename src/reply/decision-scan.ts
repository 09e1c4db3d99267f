import { BrokenObject, ObjectOpening } from "./broken-object.ts"
import type { Decision } from "./decision.ts"
import { DecisionMembers } from "./decision-members.ts"
import type { StepCount } from "./incoming-text.ts"
import { interpretDecision } from "./interpret-decision.ts"
import { JsonReader } from "./json/json-reader.ts"
import { isQuoteOrStructure } from "./json/loose-syntax.ts"
import { climbLadder } from "./ladder.ts"
import { type Candidate, OutputRecord } from "./output-record.ts"
import { TagScanner, type TagSink } from "./thinking-scanner.ts"

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
 * counts. An object that turns out to be no JSON is followed to its end, so that nothing inside it passes for a decision.
 * After one that mentions an action nothing is shown before the end of the output, when the object is repaired.
 */
export class DecisionScan implements OutputScan {
  readonly #show: Show
  readonly #count: StepCount
  readonly #tags: TagScanner
  readonly #record = new OutputRecord()
  #mode: "prose" | "object" | "opening" | "broken" | "decided" | "over" = "prose"
  /** The place where the current object begins. */
  #start = 0
  #members: DecisionMembers
  #reader: JsonReader
  /** The characters of the current object up to its first colon. */
  #lead = ""
  #opening = new ObjectOpening()
  #broken: BrokenObject | undefined

  constructor(options: { readonly opensInThought: boolean }, show: Show, count: StepCount) {
    this.#show = show
    this.#count = count
    this.#tags = new TagScanner(this.#tagSink(), options.opensInThought, count)
    this.#members = this.#newMembers()
    this.#reader = new JsonReader(this.#members, count)
  }

  feed(piece: string): void {
    for (let index = 0; index < piece.length && this.#mode !== "over"; ) index = this.#step(piece, index)
  }

  end(): Decision {
    if (this.#members.gate.shown) return this.#endShown()
    this.#tags.end()
    if (this.#mode === "object" || this.#mode === "broken") this.#addCandidate("unfinished")
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
      case "broken":
        return this.#readBroken(piece, index)
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
    this.#record.braceOpens()
    this.#start = this.#record.length
    this.#members = this.#newMembers()
    this.#reader = new JsonReader(this.#members, this.#count)
    this.#lead = ""
    if (piece.charAt(stop) !== fullWidthBrace) {
      this.#mode = "object"
      return stop
    }
    this.#record.add(fullWidthBrace)
    this.#open("")
    return stop + 1
  }

  #readObject(piece: string, index: number): number {
    const reader = this.#reader
    const isLead = !reader.grammar.colonSeen
    const end = reader.feed(piece, index)
    if (isLead) this.#lead += piece.slice(index, end)
    if (!this.#members.gate.shown) this.#record.add(piece.slice(index, end))
    else if (this.#record.length > 0) this.#record.forget()
    if (reader.state === "closed") this.#endObject()
    else if (reader.state === "broken") this.#breakObject()
    else if (reader.state === "over") this.#mode = "over"
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
    const { grammar, expectsToken } = this.#reader
    if (this.#members.gate.shown) this.#mode = "over"
    else if (!grammar.colonSeen) this.#open(this.#lead.slice(1))
    else this.#follow({ depth: grammar.objectDepth, expectsToken, mentionsAction: this.#members.mentionsDecision })
  }

  /** Goes on after a brace that begins no JSON. With a name and a colon it begins an object, else it is prose. */
  #open(read: string): void {
    this.#opening = new ObjectOpening()
    this.#mode = "opening"
    for (let index = 0; index < read.length && this.#mode === "opening"; index++) this.#acceptOpening(read.charAt(index))
  }

  #readOpening(piece: string, index: number): number {
    this.#count.steps++
    this.#acceptOpening(piece.charAt(index))
    if (this.#mode === "prose") return index
    this.#record.add(piece.charAt(index))
    return index + 1
  }

  #acceptOpening(character: string): void {
    const found = this.#opening.feed(character)
    if (found === "prose") this.#mode = "prose"
    if (found !== "object") return
    const mentionsAction = /action|tool|args/.test(this.#opening.name)
    this.#follow({ depth: 1, expectsToken: true, mentionsAction })
  }

  #follow(from: ConstructorParameters<typeof BrokenObject>[0]): void {
    this.#broken = new BrokenObject(from, this.#count)
    this.#mode = "broken"
  }

  #readBroken(piece: string, index: number): number {
    const broken = this.#broken
    if (broken?.inString) {
      const end = broken.readString(piece, index)
      this.#record.add(piece.slice(index, end))
      return end
    }
    const stop = this.#tags.scan(piece, index, isQuoteOrStructure)
    if (stop === piece.length || this.#mode !== "broken" || !isQuoteOrStructure(piece.charCodeAt(stop))) return stop
    this.#tags.interrupt()
    this.#record.add(piece.charAt(stop))
    broken?.accept(piece.charCodeAt(stop))
    if (broken?.closed) {
      if (broken.mentionsAction) this.#addCandidate("loose")
      this.#mode = "prose"
    }
    return stop + 1
  }

  #endShown(): Decision {
    this.#reader.end()
    if (this.#reader.state !== "closed") return this.#members.unfinishedFinish()
    const isExact = !this.#reader.flawed && !this.#members.understood
    return interpretDecision(this.#members.values, { isExact, text: "", at: 0 }, this.#count)
  }

  #tagSink(): TagSink {
    return {
      text: (run) => {
        if (this.#mode !== "broken") this.#record.addProse(run)
        else {
          this.#record.add(run)
          this.#broken?.text(run)
        }
      },
      thinking: (run) => this.#show("thinking", run),
      thoughtOpens: () => {},
      orphan: () => this.#forget(),
    }
  }

  /** Turns all text before an orphan closing tag into thinking (T22). Nothing of it was shown yet. */
  #forget(): void {
    this.#count.steps += this.#record.length
    this.#show("thinking", this.#record.forget())
    this.#mode = "prose"
  }

  #newMembers(): DecisionMembers {
    return new DecisionMembers({ streams: this.#record.mayStream, isTolerant: true }, (delta) => this.#show("message", delta))
  }

  #addCandidate(form: Candidate["form"]): void {
    this.#record.addCandidate({ form, start: this.#start, members: this.#members, flawed: this.#reader.flawed })
  }
}

function isBrace(code: number): boolean {
  return code === 0x7b || code === 0xff5b
}
