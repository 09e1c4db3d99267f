import { DocumentTable, type ReadDocument } from "./documents/document-table.ts"
import type { Section, SectionReader } from "./documents/sections.ts"
import { finished, type Steps } from "./documents/steps.ts"
import { planQuery, SpeakerNames } from "./query-plan.ts"
import { rankDocuments } from "./rank-documents.ts"
import type { RecallDocument, RecallHit, RecallQuery, RecallVector } from "./recall-query.ts"
import { checkWeights, defaultRecallWeights } from "./recall-weights.ts"
import { localCalendar } from "./time/local-calendar.ts"

/**
 * The form of an index's copy, and of the terms in it: other words of a text, or another Unicode, make another index. Raise the number
 * with every change of what is indexed.
 */
export const indexForm = `6, Unicode ${globalThis.process?.versions?.unicode ?? "?"}`

/**
 * An index of memories, found by their words, their speakers and their times. The same documents and the same query give the same
 * hits, whatever the order in which documents were added. It does no I/O and reads no clock.
 */
export class RecallIndex {
  #table: DocumentTable
  #names = new SpeakerNames()

  /**
   * `read` gives a document by its id, as it was when it was added, but need not give its vector. Without it, the index keeps the
   * documents themselves.
   */
  constructor(read?: ReadDocument) {
    this.#table = new DocumentTable(read)
  }

  get size(): number {
    return this.#table.documents
  }

  /** The approximate size of the index, without the texts and vectors of the documents. */
  get bytes(): number {
    return this.#table.bytes
  }

  /** The index without its documents and vectors, for {@link RecallIndex.restored}. */
  *sections(): Generator<Section> {
    yield this.#names.text
    yield* this.#table.sections()
  }

  /**
   * Reads back what {@link sections} wrote, in steps. Vectors are set with {@link setVector}. Throws if the parts are not of such a copy.
   */
  static *restored(reader: SectionReader, read: ReadDocument): Steps<RecallIndex> {
    const index = new RecallIndex()
    index.#names = SpeakerNames.restored(reader.text())
    index.#table = yield* DocumentTable.restored(reader, read)
    return index
  }

  /** The ids of the speakers of a name or nickname. */
  speakersOf(name: string): readonly string[] {
    return this.#names.idsOf(name)
  }

  /** The ids of the documents, in an order that {@link restored} keeps. */
  ids(): string[] {
    return this.#table.ids()
  }

  /** Sets the vector of a document. Nothing happens if its id is unknown. */
  setVector(id: string, vector: RecallVector): void {
    this.#table.setVector(id, vector)
  }

  /** Adds a document, in time linear in its length, or replaces the one with its id. False if only numbers or its vector changed, which costs little. */
  replace(document: RecallDocument): boolean {
    return finished(this.replacing(document))
  }

  /** Does the work of {@link replace} in steps. Nothing else may be asked of the index before the last one. */
  *replacing(document: RecallDocument): Steps<boolean> {
    const before = this.#table.documentAt(this.#table.slotOf(document.id))
    if (before !== undefined && hasSameWords(before, document)) {
      this.#table.update(document)
      return false
    }
    yield* this.removing(document.id)
    yield* this.#putting(document)
    return true
  }

  /** Removes a document; false if its id is unknown. */
  remove(id: string): boolean {
    return finished(this.removing(id))
  }

  /** Does the work of {@link remove} in steps. Nothing else may be asked of the index before the last one. */
  *removing(id: string): Steps<boolean> {
    const document = this.#table.documentAt(this.#table.slotOf(id))
    if (document !== undefined) this.#names.count(document, -1)
    return yield* this.#table.removing(id)
  }

  /** The hits for a query, best first. Equal scores are ordered newest first, then by id. Throws `usage` on a weight that is not a finite number of at least 0. */
  rank(query: RecallQuery): RecallHit[] {
    if (query.weights !== undefined) checkWeights(query.weights, "a recall query")
    const calendar = localCalendar(query.timeZone ?? "UTC")
    const plan = planQuery(query, this.#names.named(), calendar.dayOf(query.nowMs))
    return rankDocuments(this.#table, { query, plan, calendar, weights: { ...defaultRecallWeights, ...query.weights } })
  }

  *#putting(document: RecallDocument): Steps<void> {
    yield* this.#table.adding(document)
    this.#names.count(document, 1)
  }
}

/** True if two documents have the same terms and stand at the same place: a use of a memory changes only its numbers. */
function hasSameWords(one: RecallDocument, other: RecallDocument): boolean {
  const [words, others] = [one, other].map(({ text, session, turn, atMs, speaker, keys }) =>
    JSON.stringify([text, session, turn, atMs, speaker.id, speaker.name, keys?.words, keys?.dates]),
  )
  return words === others
}
