import { invariant } from "../core/errors.ts"
import { BrokenObject, ObjectOpening } from "./broken-object.ts"
import type { DecisionEnd } from "./decision.ts"
import { DecisionMembers } from "./decision-members.ts"
import { readingWork } from "./incoming-text.ts"
import { callBeside, interpretDecision, isCallOf } from "./interpret-decision.ts"
import { JsonReader } from "./json/json-reader.ts"
import { isQuoteOrStructure } from "./json/loose-syntax.ts"
import type { climbLadder } from "./ladder.ts"
import { type Candidate, type FoundObject, OutputRecord } from "./output-record.ts"
import { furtherDecision, namesAction } from "./outside-object.ts"
import type { ThinkingFault } from "./thinking.ts"
import { TagScanner, type TagSink } from "./thinking-scanner.ts"

/** Reads planner output as it comes: `feed` well-formed pieces, then `end` once. Only strict output, and a message that was shown, end without the ladder. */
export interface OutputScan {
  feed(piece: string): void
  end(climb: ClimbLadder | undefined): DecisionEnd
}

/** {@link climbLadder}, which is much code and read only for output of which nothing was shown. */
export type ClimbLadder = typeof climbLadder

/** The characters that a scan has shown and its reader has not taken yet. */
export interface ShownText {
  message: string
  thinking: string
}

/** How much text after a finish is looked at for a further decision. */
const maxAfterShown = 4_096

const fullWidthBrace = "｛"

/**
 * Finds the decision in planner output (T21–T23), each character read once. The first whole object with an `action`
 * counts. An object that turns out to be no JSON is followed to its end, so that nothing inside it passes for a decision.
 * After one that mentions an action nothing is shown before the end of the output, when the object is repaired.
 */
export class DecisionScan implements OutputScan {
  readonly #shown: ShownText
  readonly #opensInThought: boolean
  #reading: "prose" | FoundObject | ObjectOpening | BrokenObject | "decided" | "over" = "prose"
  /** The last object that was begun. */
  #object: FoundObject | undefined
  /** Made for the first text that stands outside an object. */
  #tagScanner: TagScanner | undefined
  /** Made when the output may have to be read again. */
  #outputRecord: OutputRecord | undefined
  /** The text after a message that was shown, as far as it is looked at for a further decision. */
  #after = ""
  #thinkingFault: ThinkingFault | undefined
  /** The beginning of the first call without an action, which is not run. */
  #bareCall: string | undefined

  constructor(opensInThought: boolean, shown: ShownText) {
    this.#opensInThought = opensInThought
    this.#shown = shown
  }

  feed(piece: string): void {
    let index = 0
    while (index < piece.length) {
      const reading = this.#reading
      if (reading === "over") index = this.#passOver(piece, index)
      else if (reading === "prose") index = this.#readProse(piece, index)
      else if (reading === "decided") index = this.#tags.scan(piece, index, () => false)
      else if (reading instanceof ObjectOpening) index = this.#readOpening(reading, piece, index)
      else if (reading instanceof BrokenObject) index = this.#readBroken(reading, piece, index)
      else index = this.#readObject(reading, piece, index)
    }
  }

  end(climb: ClimbLadder | undefined): DecisionEnd {
    this.#tagScanner?.end()
    const { decision, ignored } = this.#decide(climb)
    const bare = this.#bareCall
    const isBareIgnored = bare !== undefined && decision.action !== "unreadable" && !isCallOf(bare, decision)
    const isProse = decision.action === "finish" && this.#object === undefined
    return {
      type: "decision",
      decision,
      ignored: ignored ?? (isBareIgnored ? bare : undefined),
      thinkingFault: isProse ? this.#thinkingFault : undefined,
    }
  }

  #decide(climb: ClimbLadder | undefined): Pick<DecisionEnd, "decision" | "ignored"> {
    const object = this.#object
    if (object?.members.shown) {
      const { reader, members } = object
      reader.end()
      if (reader.state !== "closed") return { decision: members.unfinishedFinish() }
      const isExact = !reader.string.flawed && !members.understood
      const decision = interpretDecision(members.values, { isExact, text: "", at: 0, repeated: members.repeated })
      return { decision, ignored: this.#after !== "" ? furtherDecision(this.#after) : undefined }
    }
    const reading = this.#reading
    if (reading === object) this.#record.text += object.text
    if (reading === object || reading instanceof BrokenObject) this.#addCandidate("unfinished")
    const record = this.#record
    const isFirst = record.candidates.length === 0 && record.others.length === 0
    if (reading instanceof ObjectOpening && isFirst) this.#addCandidate("loose")
    readingWork.steps += record.text.length
    invariant(climb, "the ladder is loaded before it is climbed")
    return climb(record, this.#tags.inThought)
  }

  #readProse(piece: string, index: number): number {
    const isFirst = this.#tagScanner === undefined && !this.#opensInThought && piece.charAt(index) === "{"
    const stop = isFirst ? index : this.#tags.scan(piece, index, isBrace)
    if (!isFirst && !this.#tags.isAtStop) return stop
    const record = this.#outputRecord
    this.#tagScanner?.interrupt()
    record?.braceOpens()
    const members = new DecisionMembers({ streams: record?.mayStream ?? true, isTolerant: true }, this.#shown)
    this.#object = { start: record?.text.length ?? 0, members, reader: new JsonReader(members), text: "" }
    if (piece.charAt(stop) !== fullWidthBrace) {
      this.#reading = this.#object
      return stop
    }
    this.#record.text += fullWidthBrace
    this.#open("")
    return stop + 1
  }

  #readObject(object: FoundObject, piece: string, index: number): number {
    const { reader, members } = object
    const end = reader.feed(piece, index)
    if (members.shown) {
      object.text = ""
      this.#outputRecord = undefined
    } else object.text += piece.slice(index, end)
    if (reader.state === "open") return end
    if (members.shown) {
      this.#reading = "over"
      this.#after = reader.rest.slice(0, maxAfterShown)
    } else {
      this.#record.text += object.text
      if (reader.state === "closed") this.#endObject(object)
      else if (reader.state === "broken") this.#breakObject(object)
      else this.#reading = "over"
    }
    return end
  }

  /** Keeps the text after a message that ended before its quote, for the ladder, or the text after a finish that was shown. */
  #passOver(piece: string, index: number): number {
    if (this.#object?.members.shown !== true) this.#record.text += piece.slice(index)
    else this.#after += piece.slice(index, index + maxAfterShown - this.#after.length)
    return piece.length
  }

  #endObject({ members, start }: FoundObject): void {
    if (members.actionSeen) {
      this.#addCandidate("whole")
      this.#reading = "decided"
    } else {
      this.#record.addOther(start)
      this.#bareCall ??= callBeside(members.values)
      this.#reading = "prose"
    }
  }

  #breakObject({ members, reader, text }: FoundObject): void {
    const { grammar, expectsToken } = reader
    if (!grammar.colonSeen) this.#open(text.slice(1))
    else this.#reading = new BrokenObject({ depth: grammar.objectDepth, expectsToken, mentionsAction: members.mentionsDecision })
  }

  /** Goes on after a brace that begins no JSON. With a name and a colon it begins an object, else it is prose. */
  #open(read: string): void {
    const opening = new ObjectOpening()
    this.#reading = opening
    for (let index = 0; index < read.length && this.#reading === opening; index++)
      this.#acceptOpening(opening, read.charAt(index))
  }

  #readOpening(opening: ObjectOpening, piece: string, index: number): number {
    readingWork.steps++
    this.#acceptOpening(opening, piece.charAt(index))
    if (this.#reading === "prose") return index
    this.#record.text += piece.charAt(index)
    return index + 1
  }

  #acceptOpening(opening: ObjectOpening, character: string): void {
    const found = opening.feed(character)
    if (found === "prose") this.#reading = "prose"
    if (found !== "object") return
    const mentionsAction = /action|tool|args/.test(opening.name)
    this.#reading = new BrokenObject({ depth: 1, expectsToken: true, mentionsAction })
  }

  #readBroken(broken: BrokenObject, piece: string, index: number): number {
    if (broken.inString) {
      const end = broken.readString(piece, index)
      this.#record.text += piece.slice(index, end)
      return end
    }
    const stop = this.#tags.scan(piece, index, isQuoteOrStructure)
    if (!this.#tags.isAtStop) return stop
    this.#tags.interrupt()
    this.#record.text += piece.charAt(stop)
    broken.accept(piece.charCodeAt(stop))
    if (broken.closed) {
      if (broken.mentionsAction) this.#addCandidate("loose")
      this.#reading = "prose"
    }
    return stop + 1
  }

  get #tags(): TagScanner {
    if (this.#tagScanner === undefined) {
      this.#tagScanner = new TagScanner(this.#tagSink(), this.#opensInThought)
      if (this.#object) this.#tagScanner.interrupt()
    }
    return this.#tagScanner
  }

  get #record(): OutputRecord {
    if (this.#outputRecord === undefined) {
      this.#outputRecord = new OutputRecord()
      if (this.#object) this.#outputRecord.braceOpens()
    }
    return this.#outputRecord
  }

  #tagSink(): TagSink {
    return {
      text: (run) => {
        if (this.#reading instanceof BrokenObject) {
          this.#record.text += run
          this.#reading.text(run)
        } else this.#record.addProse(run)
      },
      thinking: (run) => {
        this.#shown.thinking += run
      },
      tookFromLine: () => {
        this.#thinkingFault = "within-line"
      },
      again: (text) => this.feed(text),
      orphan: () => this.#forget(),
      // A decision in an unclosed thought is never carried out.
      isWords: (run) => !/[{}｛｝]/.test(run) && !namesAction(run),
    }
  }

  /** Turns all text before an orphan closing tag into thinking (T22). Nothing of it was shown yet. */
  #forget(): void {
    readingWork.steps += this.#record.text.length
    this.#shown.thinking += this.#record.forget()
    this.#bareCall = undefined
    this.#reading = "prose"
  }

  #addCandidate(form: Candidate["form"]): void {
    const record = this.#record
    if (this.#object) record.candidates.push({ ...this.#object, form, end: record.text.length })
  }
}

function isBrace(code: number): boolean {
  return code === 0x7b || code === 0xff5b
}
