import { PromptStrataError } from "../../core/errors.ts"
import { DocumentTable } from "./document-table.ts"
import { planQuery } from "./query-plan.ts"
import { rankDocuments } from "./rank-documents.ts"
import type { RecallDocument } from "./recall-document.ts"
import type { RecallHit, RecallQuery } from "./recall-query.ts"
import { defaultRecallWeights, type RecallWeights } from "./recall-weights.ts"
import { SpeakerNames } from "./speaker-names.ts"
import { type LocalCalendar, localCalendar } from "./time/local-calendar.ts"

const maxKeptCalendars = 16

/**
 * The memories of one user, found by what was said, by whom and when. The same documents and the same question give the same
 * hits, in whatever order they were added and wherever they are stored. It does no I/O and reads no clock.
 */
export class RecallIndex {
  readonly #table = new DocumentTable()
  readonly #names = new SpeakerNames()
  readonly #calendars = new Map<string, LocalCalendar>()

  get size(): number {
    return this.#table.size
  }

  /** About how much memory the index takes, without the documents' own texts and vectors. */
  get bytes(): number {
    return this.#table.bytes
  }

  has(id: string): boolean {
    return this.#table.slotOf(id) !== undefined
  }

  /** Adds a document, in the time its own length takes. An id that is there throws `usage`. */
  add(document: RecallDocument): void {
    if (this.has(document.id)) {
      const message = `expected a memory that is not in the recall index, found ${JSON.stringify(document.id)} there`
      throw new PromptStrataError("usage", message, { hint: "Use replace() for a memory that changed." })
    }
    this.#put(document)
  }

  /** Adds a document in place of the one with its id, if there is one. */
  replace(document: RecallDocument): void {
    this.remove(document.id)
    this.#put(document)
  }

  /** False where the id is not there. */
  remove(id: string): boolean {
    const slot = this.#table.slotOf(id)
    const document = slot === undefined ? undefined : this.#table.documentAt(slot)
    if (document !== undefined) this.#names.count(document.speaker, -1)
    return this.#table.remove(id)
  }

  /** The hits for a question, the best first; of equals the newest, then by id. */
  rank(query: RecallQuery): RecallHit[] {
    const calendar = this.#calendar(query.timeZone ?? "UTC")
    const plan = planQuery(query, this.#names.named(query.speakers ?? []), calendar.dayOf(query.nowMs))
    return rankDocuments(this.#table, { query, plan, calendar, weights: weightsOf(query) })
  }

  #put(document: RecallDocument): void {
    this.#table.add(document)
    this.#names.count(document.speaker, 1)
  }

  #calendar(timeZone: string): LocalCalendar {
    const known = this.#calendars.get(timeZone)
    if (known !== undefined) return known
    const calendar = localCalendar(timeZone)
    if (this.#calendars.size >= maxKeptCalendars) this.#calendars.clear()
    this.#calendars.set(timeZone, calendar)
    return calendar
  }
}

function weightsOf({ weights }: RecallQuery): RecallWeights {
  return { ...defaultRecallWeights, ...weights }
}
