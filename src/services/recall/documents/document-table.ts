import type { RecallDocument, RecallVector } from "../recall-query.ts"
import { documentTerms, type TermField, termFields } from "../text/document-terms.ts"
import { textMarks } from "../text-marks.ts"
import { DocumentColumns, ScoreArrays } from "./document-columns.ts"
import { FieldIndex } from "./field-index.ts"
import { listSections, type Section, type SectionReader } from "./sections.ts"
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
  /** The ids by slot; undefined for a free slot. */
  #ids: (string | undefined)[] = []
  /** The documents by slot, without those that were not read yet. */
  #documents: (RecallDocument | undefined)[] = []
  #read: ((id: string) => RecallDocument) | undefined
  #vectors: (RecallVector | undefined)[] = []
  columns = new DocumentColumns()
  readonly fields = newFields()
  links = new SessionLinks((slot) => this.#ids[slot] ?? "")
  /** Arrays for the query at hand. */
  readonly scoreArrays = new ScoreArrays()
  #speakers = new Map<string, number>()
  /** The documents that tell a fact anew, by id, each with the ids of those that told it before. */
  readonly updates = new Map<string, readonly string[]>()

  get size(): number {
    return this.#slots.size
  }

  /** Every slot is below this. */
  get slots(): number {
    return this.#ids.length
  }

  /** The ids of the documents, by slot. */
  ids(): string[] {
    return this.#ids.filter((id) => id !== undefined)
  }

  /** The approximate size of the index, without the documents themselves. */
  get bytes(): number {
    const fields = termFields.reduce((sum, field) => sum + this.fields[field].bytes, 0)
    return fields + this.links.bytes + this.columns.bytes + this.scoreArrays.bytes + this.#slots.size * 80
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** The id of the document at a slot; undefined if the slot is free. */
  idAt(slot: number): string | undefined {
    return this.#ids[slot]
  }

  /** The document at a slot; undefined if the slot is free. */
  documentAt(slot: number): RecallDocument | undefined {
    const id = this.#ids[slot]
    if (id === undefined) return undefined
    const known = this.#documents[slot] ?? this.#read?.(id)
    this.#documents[slot] = known
    return known
  }

  vectorAt(slot: number): RecallVector | undefined {
    return this.#vectors[slot]
  }

  setVector(id: string, vector: RecallVector): void {
    const slot = this.#slots.get(id)
    if (slot !== undefined) this.#vectors[slot] = vector
  }

  /** Orders slots by the time of their documents, newest first; equal times by id. */
  newestFirst(a: number, b: number): number {
    const newer = (this.columns.lastAtMs[b] ?? 0) - (this.columns.lastAtMs[a] ?? 0)
    return newer || ((this.#ids[a] ?? "") < (this.#ids[b] ?? "") ? -1 : 1)
  }

  /** The number of a speaker's id in the speaker column; negative if unknown. */
  speakerNumber(id: string): number {
    return this.#speakers.get(id) ?? -1
  }

  add(document: RecallDocument): void {
    const slot = this.#ids.push(document.id) - 1
    this.#slots.set(document.id, slot)
    this.#setValues(slot, document)
    const terms = documentTerms(document.text, document.keys?.words)
    for (const field of termFields) this.fields[field].add(slot, terms[field])
    this.links.add(slot, document)
  }

  /** Replaces a document by one of the same words in the same place: other numbers, another vector. */
  update(document: RecallDocument): void {
    const slot = this.#slots.get(document.id)
    if (slot !== undefined) this.#setValues(slot, document)
  }

  #setValues(slot: number, document: RecallDocument): void {
    const speaker = this.#speakers.get(document.speaker.id) ?? this.#speakers.size
    this.#speakers.set(document.speaker.id, speaker)
    this.columns.set(slot, document, textMarks(document.text, document.atMs, document.keys?.dates), speaker)
    if (document.updates) this.updates.set(document.id, document.updates)
    else this.updates.delete(document.id)
    this.#documents[slot] = document
    this.#vectors[slot] = document.vector
  }

  remove(id: string): boolean {
    const slot = this.#slots.get(id)
    const document = slot === undefined ? undefined : this.documentAt(slot)
    if (slot === undefined || document === undefined) return false
    const terms = documentTerms(document.text, document.keys?.words)
    for (const field of termFields) this.fields[field].remove(slot, terms[field])
    this.links.remove(slot, document)
    this.updates.delete(id)
    this.columns.live[slot] = 0
    this.#ids[slot] = undefined
    this.#documents[slot] = undefined
    this.#vectors[slot] = undefined
    this.#slots.delete(id)
    this.#compactIfDue()
    return true
  }

  #compactIfDue(): void {
    const total = this.slots
    if (total < minSlotsToCompact || total - this.size < total * maxFreeShare) return
    const slotAfter = new Int32Array(total).fill(-1)
    const [ids, documents, vectors, columns] = [this.#ids, this.#documents, this.#vectors, this.columns]
    this.#ids = []
    this.#documents = []
    this.#vectors = []
    this.columns = new DocumentColumns()
    ids.forEach((id, slot) => {
      if (id === undefined) return
      const after = this.#ids.push(id) - 1
      slotAfter[slot] = after
      this.#documents[after] = documents[slot]
      this.#vectors[after] = vectors[slot]
      this.columns.copy(after, columns, slot)
      this.#slots.set(id, after)
    })
    this.links = this.links.compacted(slotAfter, this.size)
    for (const field of termFields) this.fields[field] = this.fields[field].compacted(slotAfter)
  }

  /** The table without its documents and vectors, for {@link restored}. */
  *sections(): Generator<Section> {
    yield* listSections(this.#ids.map((id) => id ?? null))
    yield JSON.stringify([[...this.#speakers], [...this.updates]])
    yield* this.columns.sections(this.slots)
    yield* this.links.sections(this.slots)
    for (const field of termFields) yield* this.fields[field].sections(this.slots)
  }

  /** Reads back what {@link sections} wrote, in steps. A document is read when it is first needed. */
  static *restored(reader: SectionReader, read: (id: string) => RecallDocument): Generator<void, DocumentTable> {
    const table = new DocumentTable()
    table.#read = read
    for (const ids of reader.list<string | null>()) {
      for (const id of ids) {
        const slot = table.#ids.push(id ?? undefined) - 1
        if (id !== null) table.#slots.set(id, slot)
      }
      yield
    }
    const [speakers, updates] = JSON.parse(reader.text()) as [[string, number][], [string, string[]][]]
    table.#speakers = new Map(speakers)
    for (const [id, earlier] of updates) table.updates.set(id, earlier)
    table.columns = DocumentColumns.restored(reader)
    table.links = yield* SessionLinks.restored(reader, (slot) => table.#ids[slot] ?? "")
    for (const field of termFields) table.fields[field] = yield* FieldIndex.restored(reader)
    return table
  }
}
