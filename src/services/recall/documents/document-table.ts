import type { RecallDocument } from "../recall-query.ts"
import { documentTerms, type TermField, termFields } from "../text/document-terms.ts"
import { textMarks } from "../text-marks.ts"
import { DocumentColumns, ScoreArrays } from "./document-columns.ts"
import { FieldIndex } from "./field-index.ts"
import { SessionLinks } from "./session-links.ts"

const newFields = (): Record<TermField, FieldIndex> => ({
  words: new FieldIndex(),
  grams: new FieldIndex(),
  characters: new FieldIndex(),
  keyWords: new FieldIndex(),
  keyCharacters: new FieldIndex(),
})

/** The table is compacted when free slots are at least this share of all. */
const maxFreeShare = 0.5
const minSlotsToCompact = 64

/** The documents by slot, with all that ranking reads. A document keeps its slot until the table is compacted. */
export class DocumentTable {
  #slots = new Map<string, number>()
  #documents: (RecallDocument | undefined)[] = []
  columns = new DocumentColumns()
  readonly fields = newFields()
  links = new SessionLinks()
  /** Arrays for the query at hand. */
  readonly scoreArrays = new ScoreArrays()
  readonly #speakers = new Map<string, number>()
  /** The documents that tell a fact anew, by id, each with the ids of those that told it before. */
  readonly updates = new Map<string, readonly string[]>()

  get size(): number {
    return this.#slots.size
  }

  /** Every slot is below this. */
  get slots(): number {
    return this.#documents.length
  }

  /** The approximate size of the index, without the documents themselves. */
  get bytes(): number {
    const fields = termFields.reduce((sum, field) => sum + this.fields[field].bytes, 0)
    return fields + this.links.bytes + this.columns.bytes + this.scoreArrays.bytes + this.#slots.size * 80
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** The document at a slot; undefined if the slot is free. */
  documentAt(slot: number): RecallDocument | undefined {
    return this.#documents[slot]
  }

  /** Orders slots by the time of their documents, newest first; equal times by id. */
  newestFirst(a: number, b: number): number {
    const newer = (this.columns.lastAtMs[b] ?? 0) - (this.columns.lastAtMs[a] ?? 0)
    return newer || ((this.#documents[a]?.id ?? "") < (this.#documents[b]?.id ?? "") ? -1 : 1)
  }

  /** The number of a speaker's id in the speaker column; negative if unknown. */
  speakerNumber(id: string): number {
    return this.#speakers.get(id) ?? -1
  }

  add(document: RecallDocument): void {
    const slot = this.#documents.push(document) - 1
    const speaker = this.#speakers.get(document.speaker.id) ?? this.#speakers.size
    this.#speakers.set(document.speaker.id, speaker)
    this.columns.set(slot, document, textMarks(document.text, document.atMs, document.keys?.dates), speaker)
    if (document.updates) this.updates.set(document.id, document.updates)
    this.#slots.set(document.id, slot)
    const terms = documentTerms(document.text, document.keys?.words)
    for (const field of termFields) this.fields[field].add(slot, terms[field])
    this.links.add(slot, document)
  }

  remove(id: string): boolean {
    const slot = this.#slots.get(id)
    const document = slot === undefined ? undefined : this.#documents[slot]
    if (slot === undefined || document === undefined) return false
    const terms = documentTerms(document.text, document.keys?.words)
    for (const field of termFields) this.fields[field].remove(slot, terms[field])
    this.links.remove(slot, document)
    this.updates.delete(id)
    this.columns.live[slot] = 0
    this.#documents[slot] = undefined
    this.#slots.delete(id)
    this.#compactIfDue()
    return true
  }

  #compactIfDue(): void {
    const total = this.slots
    if (total < minSlotsToCompact || total - this.size < total * maxFreeShare) return
    const slotAfter = new Int32Array(total).fill(-1)
    const [documents, columns] = [this.#documents, this.columns]
    this.#documents = []
    this.columns = new DocumentColumns()
    this.links = new SessionLinks()
    documents.forEach((document, slot) => {
      if (document === undefined) return
      const after = this.#documents.push(document) - 1
      slotAfter[slot] = after
      this.columns.copy(after, columns, slot)
      this.#slots.set(document.id, after)
      this.links.add(after, document)
    })
    for (const field of termFields) this.fields[field] = this.fields[field].compacted(slotAfter)
  }
}
