import type { RecallDocument, RecallVector } from "../recall-query.ts"
import { countTerms, type TermField, termFields } from "../text/document-terms.ts"
import { textMarks } from "../text-marks.ts"
import { DocumentColumns, ScoreArrays } from "./document-columns.ts"
import { FieldIndex } from "./field-index.ts"
import { listSections, type Section, type SectionReader } from "./sections.ts"
import { SessionLinks } from "./session-links.ts"
import { type Steps, stepUnits } from "./steps.ts"

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

/** About what a document takes in the two lists of ids, with its id. */
const idBytes = 96
/** A document without words is as much work as this many terms. */
const documentUnits = 32

/** Gives a document by its id, as it is in the table. */
export type ReadDocument = (id: string) => RecallDocument

/** The documents by slot, with all that ranking reads. A document keeps its slot until the table is compacted. */
export class DocumentTable {
  #slots = new Map<string, number>()
  /** The ids by slot; undefined for a free slot. */
  #ids: (string | undefined)[] = []
  /** The documents by slot, unless they are read when they are needed. */
  #documents: (RecallDocument | undefined)[] = []
  readonly #read: ReadDocument | undefined
  /** The vectors by slot. Without any the list is empty. */
  #vectors: (RecallVector | undefined)[] = []
  columns = new DocumentColumns()
  readonly fields = newFields()
  links = new SessionLinks((slot) => this.#ids[slot] ?? "")
  /** Arrays for the query at hand. */
  readonly scoreArrays = new ScoreArrays()
  #speakers = new Map<string, number>()
  /** The documents that tell a fact anew, by id, each with the ids of those that told it before. */
  readonly updates = new Map<string, readonly string[]>()

  constructor(read?: ReadDocument) {
    this.#read = read
  }

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
    return fields + this.links.bytes + this.columns.bytes + this.scoreArrays.bytes + this.#slots.size * idBytes
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
    return this.#read ? this.#read(id) : this.#documents[slot]
  }

  vectorAt(slot: number): RecallVector | undefined {
    return this.#vectors[slot]
  }

  setVector(id: string, vector: RecallVector): void {
    const slot = this.#slots.get(id)
    if (slot !== undefined) this.#setVector(slot, vector)
  }

  #setVector(slot: number, vector: RecallVector | undefined): void {
    if (vector !== undefined || slot < this.#vectors.length) this.#vectors[slot] = vector
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

  /** Adds a document in steps. Only after the last one may be ranked. */
  *adding(document: RecallDocument): Steps<void> {
    yield documentUnits
    const terms = yield* countTerms(document.text, document.keys?.words)
    const slot = this.#ids.push(document.id) - 1
    this.#slots.set(document.id, slot)
    this.#setValues(slot, document)
    this.links.add(slot, document)
    for (const field of termFields) yield* this.fields[field].adding(slot, terms[field])
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
    if (this.#read === undefined) this.#documents[slot] = document
    this.#setVector(slot, document.vector)
  }

  /** Removes a document in steps; false if its id is unknown. Only after the last one may be ranked. */
  *removing(id: string): Steps<boolean> {
    const slot = this.#slots.get(id)
    const document = slot === undefined ? undefined : this.documentAt(slot)
    if (slot === undefined || document === undefined) return false
    const terms = yield* countTerms(document.text, document.keys?.words)
    for (const field of termFields) yield* this.fields[field].removing(slot, terms[field])
    this.links.remove(slot, document)
    this.updates.delete(id)
    this.columns.live[slot] = 0
    this.#ids[slot] = undefined
    this.#documents[slot] = undefined
    this.#setVector(slot, undefined)
    this.#slots.delete(id)
    yield documentUnits
    if (this.slots >= minSlotsToCompact && this.slots - this.size >= this.slots * maxFreeShare) yield* this.#compacting()
    return true
  }

  *#compacting(): Steps<void> {
    const slotAfter = new Int32Array(this.slots).fill(-1)
    const ids: string[] = []
    const documents: RecallDocument[] = []
    const columns = new DocumentColumns()
    const vectors = this.#vectors
    this.#vectors = []
    for (const [slot, id] of this.#ids.entries()) {
      if (id === undefined) continue
      const after = ids.push(id) - 1
      slotAfter[slot] = after
      const document = this.#documents[slot]
      if (document !== undefined) documents[after] = document
      this.#setVector(after, vectors[slot])
      columns.copy(after, this.columns, slot)
      this.#slots.set(id, after)
      if (after % stepUnits === 0) yield stepUnits
    }
    this.#ids = ids
    this.#documents = documents
    this.columns = columns
    this.links = yield* this.links.compacted(slotAfter, this.size)
    for (const field of termFields) this.fields[field] = yield* this.fields[field].compacted(slotAfter)
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
  static *restored(reader: SectionReader, read: ReadDocument): Steps<DocumentTable> {
    const table = new DocumentTable(read)
    for (const ids of reader.list<string | null>()) {
      for (const id of ids) {
        const slot = table.#ids.push(id ?? undefined) - 1
        if (id !== null) table.#slots.set(id, slot)
      }
      yield ids.length
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
