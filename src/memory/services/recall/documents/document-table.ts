import { graphemeBoundaryBefore } from "../../../../core/graphemes.ts"
import type { RecallDocument, RecallVector } from "../recall-query.ts"
import { countTerms, type TermField, termFields } from "../text/document-terms.ts"
import { type TextMarks, textMarks } from "../text-marks.ts"
import { DocumentColumns, passageMark, ScoreArrays } from "./document-columns.ts"
import { FieldIndex } from "./field-index.ts"
import { listSections, type Section, type SectionReader } from "./sections.ts"
import { SessionLinks } from "./session-links.ts"
import type { Steps } from "./steps.ts"

/** A text of more characters is indexed in passages. Passages of an assistant's usual answers were measured: whole answers are found better. */
const passageCharacters = 8_192
/** A passage ends behind the last of the first of these that its second half has. */
const ends = ["\n", ". ", "。", " "] as const

/** A text in passages of at most 8,192 characters, which joined are the text. Each ends behind a line, a sentence or a word where it can. */
export function passagesOf(text: string): readonly string[] {
  const passages: string[] = []
  let at = 0
  while (text.length - at > passageCharacters) {
    const most = graphemeBoundaryBefore(text, at + passageCharacters)
    const middle = at + passageCharacters / 2
    const half = text.slice(middle, most)
    const found = ends.find((end) => half.includes(end))
    const end = found === undefined ? most : middle + half.lastIndexOf(found) + found.length
    passages.push(text.slice(at, end))
    at = end
  }
  return [...passages, text.slice(at)]
}

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

/**
 * The documents by slot, with all that ranking reads. A document keeps its slot until the table is compacted. One of several passages has
 * as many slots, one behind the other.
 */
export class DocumentTable {
  /** The first slots by id, in ascending order. */
  #slots = new Map<string, number>()
  /** The ids by slot; undefined for a free slot. */
  #ids: (string | undefined)[] = []
  /** The number of slots that are not free. */
  size = 0
  /** The documents by first slot, unless they are read when they are needed. */
  #documents: (RecallDocument | undefined)[] = []
  readonly #read: ReadDocument | undefined
  /** The vectors by slot. Without any the list is empty. */
  #vectors: (RecallVector | undefined)[] = []
  columns = new DocumentColumns()
  readonly fields = newFields()
  #noLinks = () => new SessionLinks((slot) => this.#ids[slot] ?? "")
  links = this.#noLinks()
  /** Arrays for the query at hand. */
  readonly scoreArrays = new ScoreArrays()
  #speakers = new Map<string, number>()
  /** The documents that tell a fact anew, by id, each with the ids of those that told it before. */
  readonly updates = new Map<string, readonly string[]>()

  constructor(read?: ReadDocument) {
    this.#read = read
  }

  /** The number of documents. */
  get documents(): number {
    return this.#slots.size
  }

  /** Every slot is below this. */
  get slots(): number {
    return this.#ids.length
  }

  /** The ids of the documents, by slot. */
  ids(): string[] {
    return [...this.#slots.keys()]
  }

  /** The approximate size of the index, without the documents themselves. */
  get bytes(): number {
    const fields = termFields.reduce((sum, field) => sum + this.fields[field].bytes, 0)
    return fields + this.links.bytes + this.columns.bytes + this.scoreArrays.bytes + this.size * idBytes
  }

  /** The first slot of a document. */
  slotOf(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** The slots of a document; none if its id is unknown. */
  slotsOf(id: string): number[] {
    const slots: number[] = []
    for (let slot = this.#slots.get(id) ?? this.slots; this.#ids[slot] === id; slot++) slots.push(slot)
    return slots
  }

  /** The id of the document at a slot; undefined if the slot is free. */
  idAt(slot: number): string | undefined {
    return this.#ids[slot]
  }

  /** The document at a slot; undefined if the slot is free. */
  documentAt(slot = -1): RecallDocument | undefined {
    const id = this.#ids[slot]
    if (id === undefined) return undefined
    return this.#read ? this.#read(id) : this.#documents[this.#slots.get(id) ?? slot]
  }

  /** The passage at a slot, which is mostly the whole text of its document, with the number of characters before it. */
  passageAt(slot: number): { readonly text: string; readonly before: number } {
    const { id, text } = this.documentAt(slot) ?? { id: "", text: "" }
    const passages = passagesOf(text)
    const number = slot - (this.#slots.get(id) ?? slot)
    return { text: passages[number] ?? "", before: passages.slice(0, number).join("").length }
  }

  vectorAt(slot: number): RecallVector | undefined {
    return this.#vectors[slot]
  }

  setVector(id: string, vector: RecallVector): void {
    for (const slot of this.slotsOf(id)) this.#setVector(slot, vector)
  }

  #setVector(slot: number, vector: RecallVector | undefined): void {
    if (vector !== undefined || slot < this.#vectors.length) this.#vectors[slot] = vector
  }

  /** Orders slots by the time of their documents, newest first; equal times by id, and passages of one text in their order. */
  newestFirst(a: number, b: number): number {
    const newer = (this.columns.lastAtMs[b] ?? 0) - (this.columns.lastAtMs[a] ?? 0)
    const [one = "", other = ""] = [this.#ids[a], this.#ids[b]]
    return newer || (one === other ? a - b : one < other ? -1 : 1)
  }

  /** The number of a speaker's id in the speaker column; negative if unknown. */
  speakerNumber(id: string): number {
    return this.#speakers.get(id) ?? -1
  }

  /** Adds a document in steps. Only after the last one may be ranked. */
  *adding(document: RecallDocument): Steps<void> {
    this.#slots.set(document.id, this.slots)
    for (const [number, text] of passagesOf(document.text).entries()) {
      yield documentUnits
      const terms = yield* countTerms(text, number === 0 ? document.keys?.words : undefined)
      const slot = this.#ids.push(document.id) - 1
      this.size += 1
      this.#setValues(slot, document, textMarks(text, document.atMs, document.keys?.dates))
      if (number > 0) this.columns.marks[slot] = (this.columns.marks[slot] ?? 0) | passageMark
      if (this.#read === undefined && number === 0) this.#documents[slot] = document
      this.links.add(slot, document)
      for (const field of termFields) yield* this.fields[field].adding(slot, terms[field])
    }
  }

  /** Replaces a document by one of the same words in the same place: other numbers, another vector. */
  update(document: RecallDocument): void {
    const first = this.#slots.get(document.id)
    if (first === undefined) return
    if (this.#read === undefined) this.#documents[first] = document
    for (const number of passagesOf(document.text).keys()) this.#setValues(first + number, document, undefined)
  }

  /** Without marks those of the slot stay: its words do. */
  #setValues(slot: number, document: RecallDocument, marks: TextMarks | undefined): void {
    const speaker = this.#speakers.get(document.speaker.id) ?? this.#speakers.size
    this.#speakers.set(document.speaker.id, speaker)
    this.columns.set(slot, document, marks, speaker)
    if (document.updates) this.updates.set(document.id, document.updates)
    else this.updates.delete(document.id)
    this.#setVector(slot, document.vector)
  }

  /** Removes a document in steps; false if its id is unknown. Only after the last one may be ranked. */
  *removing(id: string): Steps<boolean> {
    const first = this.#slots.get(id)
    const document = this.documentAt(first)
    if (first === undefined || document === undefined) return false
    for (const [number, text] of passagesOf(document.text).entries()) {
      const slot = first + number
      const terms = yield* countTerms(text, number === 0 ? document.keys?.words : undefined)
      for (const field of termFields) yield* this.fields[field].removing(slot, terms[field])
      this.links.remove(slot, document)
      this.columns.free(slot)
      this.#ids[slot] = undefined
      this.#documents[slot] = undefined
      this.#setVector(slot, undefined)
      this.size -= 1
      yield documentUnits
    }
    this.updates.delete(id)
    this.#slots.delete(id)
    if (this.slots >= minSlotsToCompact && this.slots - this.size >= this.slots * maxFreeShare) yield* this.#compacting()
    return true
  }

  /** Adds all documents anew: free slots go, with their postings. */
  *#compacting(): Steps<void> {
    const [slots, documents, vectors] = [this.#slots, this.#documents, this.#vectors]
    this.#slots = new Map()
    this.#ids = []
    this.#documents = []
    this.#vectors = []
    this.size = 0
    this.columns = new DocumentColumns()
    this.links = this.#noLinks()
    Object.assign(this.fields, newFields())
    for (const [id, slot] of slots) {
      const document = this.#read ? this.#read(id) : documents[slot]
      if (document !== undefined) yield* this.adding({ ...document, vector: vectors[slot] })
    }
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
        if (id === null) continue
        table.size += 1
        if (!table.#slots.has(id)) table.#slots.set(id, slot)
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
