import { DocumentColumns } from "./document-columns.ts"
import { FieldIndex } from "./field-index.ts"
import type { RecallDocument } from "./recall-document.ts"
import { ScoreArrays } from "./score-arrays.ts"
import { SessionLinks } from "./session-links.ts"
import { documentTerms, type TermField, termFields } from "./text/document-terms.ts"
import { textMarks } from "./text-marks.ts"

const newFields = (): Record<TermField, FieldIndex> => ({
  words: new FieldIndex(),
  grams: new FieldIndex(),
  characters: new FieldIndex(),
})

/** Free slots beyond this share of all are given back. */
const maxFreeShare = 0.5
const minSlotsToCompact = 64

/** The documents by slot, with all that ranking reads. A slot is a number that stays a document's own until the next compaction. */
export class DocumentTable {
  #slots = new Map<string, number>()
  #documents: (RecallDocument | undefined)[] = []
  #columns = new DocumentColumns()
  #fields = newFields()
  #links = new SessionLinks()
  /** For the question that is being answered. */
  readonly scoreArrays = new ScoreArrays()
  readonly #speakers = new Map<string, number>()

  get size(): number {
    return this.#slots.size
  }

  /** Every slot is below this. */
  get slots(): number {
    return this.#documents.length
  }

  get columns(): DocumentColumns {
    return this.#columns
  }

  get fields(): Readonly<Record<TermField, FieldIndex>> {
    return this.#fields
  }

  get links(): SessionLinks {
    return this.#links
  }

  /** About what the index takes beside the documents themselves. */
  get bytes(): number {
    const fields = termFields.reduce((sum, field) => sum + this.#fields[field].bytes, 0)
    return fields + this.#links.bytes + this.#columns.bytes + this.scoreArrays.bytes + this.#slots.size * 80
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** Undefined where the slot is free. */
  documentAt(slot: number): RecallDocument | undefined {
    return this.#documents[slot]
  }

  /** The number in the speaker column for an id; negative for one that never spoke. */
  speakerNumber(id: string): number {
    return this.#speakers.get(id) ?? -1
  }

  add(document: RecallDocument): void {
    const slot = this.#documents.push(document) - 1
    const speaker = this.#speakers.get(document.speaker.id) ?? this.#speakers.size
    this.#speakers.set(document.speaker.id, speaker)
    this.#columns.set(slot, document, textMarks(document.text, document.atMs), speaker)
    this.#slots.set(document.id, slot)
    const terms = documentTerms(document.text)
    for (const field of termFields) this.#fields[field].add(slot, terms[field])
    this.#links.add(slot, document)
  }

  remove(id: string): boolean {
    const slot = this.#slots.get(id)
    const document = slot === undefined ? undefined : this.#documents[slot]
    if (slot === undefined || document === undefined) return false
    const terms = documentTerms(document.text)
    for (const field of termFields) this.#fields[field].remove(slot, terms[field])
    this.#links.remove(slot, document)
    this.#columns.free(slot)
    this.#documents[slot] = undefined
    this.#slots.delete(id)
    this.#compactWhereDue()
    return true
  }

  #compactWhereDue(): void {
    const total = this.slots
    if (total < minSlotsToCompact || total - this.size < total * maxFreeShare) return
    const slotAfter = new Int32Array(total).fill(-1)
    const [documents, columns] = [this.#documents, this.#columns]
    this.#documents = []
    this.#columns = new DocumentColumns()
    this.#links = new SessionLinks()
    documents.forEach((document, slot) => {
      if (document === undefined) return
      const after = this.#documents.push(document) - 1
      slotAfter[slot] = after
      this.#columns.copy(after, columns, slot)
      this.#slots.set(document.id, after)
      this.#links.add(after, document)
    })
    for (const field of termFields) this.#fields[field] = this.#fields[field].compacted(slotAfter)
  }
}
