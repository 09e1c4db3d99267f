import type { Decision, DecisionEnd, DecisionEvent, DecisionFault } from "./decision.ts"
import { DecisionMembers } from "./decision-members.ts"
import { type ClimbLadder, DecisionScan, type OutputScan, type ShownText } from "./decision-scan.ts"
import { createWellFormedReader } from "./incoming-text.ts"
import { interpretDecision, unreadable } from "./interpret-decision.ts"
import { JsonReader } from "./json/json-reader.ts"
import { TagScanner } from "./thinking-scanner.ts"

/** Options of {@link createPlannerReader}. */
export interface DecisionReaderOptions {
  /** Accept one bare, whole JSON object only: no prose, no fence, no repair, no plain text (T21). */
  readonly strict?: boolean
  /** The model's text begins inside a thought that only a closing tag ends (T22). */
  readonly opensInThought?: boolean
}

/** Options that only this library sets. */
export interface InnerOptions {
  /** False shows nothing of strict output before its end. */
  readonly streams?: boolean
}

/** Reads planner output as `createDecisionReader` does, with a ladder that the caller may load before the end, when it is needed. */
export function createPlannerReader(options: DecisionReaderOptions & InnerOptions) {
  const { strict = false, opensInThought = false, streams = true } = options
  const wellFormed = createWellFormedReader()
  const shown: ShownText = { thinking: "", message: "" }
  let isShown = false
  const scan: OutputScan = strict ? new StrictScan({ opensInThought, streams }, shown) : new DecisionScan(opensInThought, shown)
  const take = (): DecisionEvent[] => {
    const { thinking, message } = shown
    const events: DecisionEvent[] = message === "" ? [] : [{ type: "message-delta", delta: message }]
    if (thinking !== "") events.unshift({ type: "thinking-delta", delta: thinking })
    isShown ||= message !== ""
    shown.thinking = ""
    shown.message = ""
    return events
  }
  return {
    /** True if `end`, were it called now, would climb the ladder. Once false it stays so. */
    needsLadder: () => !strict && !isShown,
    push(chunk: string): DecisionEvent[] {
      for (const piece of wellFormed.push(chunk)) scan.feed(piece)
      return take()
    },
    end(climb?: ClimbLadder): DecisionEvent[] {
      for (const piece of wellFormed.end()) scan.feed(piece)
      const last = scan.end(climb)
      const { decision } = last
      if (!isShown && shown.message === "" && decision.action === "finish") shown.message = decision.message ?? ""
      const own = decision.action === "unreadable" ? undefined : decision.ignored
      return [...take(), { ...last, ignored: last.ignored ?? own }]
    },
  }
}

/**
 * Reads planner output without the ladder of T21: one whole JSON object, white space around it, exactly as asked. All else
 * is unreadable. Characters that were shown stay: after the first of them a fault ends the message there instead. The only
 * thought it knows is the one that the model was declared to open in.
 */
class StrictScan implements OutputScan {
  readonly #members: DecisionMembers
  readonly #reader: JsonReader
  readonly #tags: TagScanner
  readonly #pieces: string[] = []
  #objectSeen = false
  #strayAt: number | undefined
  #length = 0

  constructor(options: { readonly opensInThought: boolean; readonly streams: boolean }, shown: ShownText) {
    this.#members = new DecisionMembers({ streams: options.streams, isTolerant: false }, shown)
    this.#reader = new JsonReader(this.#members)
    const stray = () => {
      this.#strayAt ??= this.#length
    }
    const thinking = (run: string) => {
      shown.thinking += run
    }
    const again = (text: string) => this.feed(text)
    const sink = { text: (run: string) => this.#record(run, true), thinking, thoughtOpens: stray, orphan: stray, again }
    this.#tags = new TagScanner(sink, options.opensInThought)
  }

  feed(piece: string): void {
    for (let index = 0; index < piece.length; ) {
      if (!this.#objectSeen) index = this.#readLead(piece, index)
      else if (this.#reader.state === "open") {
        const end = this.#reader.feed(piece, index)
        this.#record(piece.slice(index, end), false)
        index = end
      } else {
        this.#record(piece.slice(index), true)
        index = piece.length
      }
    }
  }

  end(): DecisionEnd {
    return { type: "decision", decision: this.#decide() }
  }

  #decide(): Decision {
    if (!this.#objectSeen) this.#tags.end()
    const text = this.#pieces.join("")
    const isWhole = this.#reader.state === "closed" && this.#strayAt === undefined
    const isExact = !this.#reader.string.flawed && !this.#members.understood
    const { values, repeated } = this.#members
    const decision = interpretDecision(values, { isExact, text, at: 0, repeated })
    if (isWhole && decision.status === "complete") return decision
    if (this.#members.shown) return this.#members.unfinishedFinish()
    if (isWhole && decision.action === "unreadable") return decision
    return unreadable(this.#fault(text), text, this.#strayAt ?? this.#length)
  }

  #readLead(piece: string, index: number): number {
    const stop = this.#tags.scan(piece, index, isBrace)
    if (!this.#tags.isAtStop) return stop
    this.#objectSeen = this.#strayAt === undefined
    if (this.#objectSeen) return stop
    this.#tags.interrupt()
    this.#record("{", true)
    return stop + 1
  }

  #fault(text: string): DecisionFault["kind"] {
    if (this.#strayAt === undefined && text.trim() === "") return "empty"
    return this.#reader.state === "open" && this.#objectSeen ? "unterminated" : "not-json"
  }

  #record(run: string, isOutside: boolean): void {
    const blank = run.length - run.trimStart().length
    if (isOutside && blank < run.length) this.#strayAt ??= this.#length + blank
    if (!this.#members.shown) this.#pieces.push(run)
    this.#length += run.length
  }
}

function isBrace(code: number): boolean {
  return code === 0x7b
}
