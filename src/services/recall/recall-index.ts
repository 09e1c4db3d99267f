import { PromptStrataError } from "../../core/errors.ts"
import { DocumentTable } from "./documents/document-table.ts"
import { planQuery, SpeakerNames } from "./query-plan.ts"
import { rankDocuments } from "./rank-documents.ts"
import type { RecallDocument, RecallHit, RecallQuery } from "./recall-query.ts"
import { checkWeights, defaultRecallWeights } from "./recall-weights.ts"
import { type LocalCalendar, localCalendar } from "./time/local-calendar.ts"

const maxKeptCalendars = 16

/**
 * An index of memories, found by their words, their speakers and their times. The same documents and the same query give the same
 * hits, whatever the order in which documents were added. It does no I/O and reads no clock.
 */
export class RecallIndex {
  readonly #table = new DocumentTable()
  readonly #names = new SpeakerNames()
  readonly #calendars = new Map<string, LocalCalendar>()

  get size(): number {
    return this.#table.size
  }

  /** The approximate size of the index, without the texts and vectors of the documents. */
  get bytes(): number {
    return this.#table.bytes
  }

  has(id: string): boolean {
    return this.#table.slotOf(id) !== undefined
  }

  /** Adds a document, in time linear in its length. Throws `usage` if its id is there already. */
  add(document: RecallDocument): void {
    if (this.has(document.id)) {
      const message = `expected a memory that is not in the recall index, found ${JSON.stringify(document.id)} there`
      throw new PromptStrataError("usage", message, { hint: "Use replace() for a memory that changed." })
    }
    this.#put(document)
  }

  /** Adds a document, or replaces the one with its id. */
  replace(document: RecallDocument): void {
    this.remove(document.id)
    this.#put(document)
  }

  /** Removes a document; false if its id is unknown. */
  remove(id: string): boolean {
    const slot = this.#table.slotOf(id)
    const document = slot === undefined ? undefined : this.#table.documentAt(slot)
    if (document !== undefined) this.#names.count(document.speaker, -1)
    return this.#table.remove(id)
  }

  /** The hits for a query, best first. Equal scores are ordered newest first, then by id. Throws `usage` on a weight that is not a finite number of at least 0. */
  rank(query: RecallQuery): RecallHit[] {
    if (query.weights !== undefined) checkWeights(query.weights, "a recall query")
    const calendar = this.#calendar(query.timeZone ?? "UTC")
    const plan = planQuery(query, this.#names.named(query.speakers ?? []), calendar.dayOf(query.nowMs))
    return rankDocuments(this.#table, { query, plan, calendar, weights: { ...defaultRecallWeights, ...query.weights } })
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
