import type { RecallDocument } from "../recall-query.ts"
import type { TextMarks } from "../text-marks.ts"
import type { NumbersOf, Section, SectionReader } from "./sections.ts"

/** Bits of {@link DocumentColumns.marks}. */
export const timeMark = 1
export const numberMark = 2
export const toldMark = 4
export const questionMark = 8
/** The document was said at more than one time. */
export const againMark = 16
/** The slot is of a further passage of the document before it. */
export const passageMark = 32

/** The numbers that ranking reads of each document, by slot. They are kept in typed arrays, because a query reads all of them. */
export class DocumentColumns {
  /** 1 for a slot that holds a document. */
  live: Uint8Array = new Uint8Array(16)
  marks: Uint8Array = new Uint8Array(16)
  atMs: Float64Array = new Float64Array(16)
  /** When it was last said. */
  lastAtMs: Float64Array = new Float64Array(16)
  recalledAtMs: Float64Array = new Float64Array(16)
  stability: Float64Array = new Float64Array(16)
  /** From 0 to 1. */
  importance: Float64Array = new Float64Array(16)
  toldFromDay: Int32Array = new Int32Array(16)
  toldToDay: Int32Array = new Int32Array(16)
  /** A number for the id of the speaker. */
  speaker: Int32Array = new Int32Array(16)
  readonly #counts = { speaker: [] as number[], marks: [] as number[], end: 0 }

  get bytes(): number {
    return columnNames.reduce((sum, name) => sum + this[name].byteLength, 0)
  }

  /** Without marks those of the slot stay. */
  set(slot: number, document: RecallDocument, marks: TextMarks | undefined, speaker: number): void {
    this.#grow(slot)
    this.live[slot] = 1
    const { atMs, againAtMs = [] } = document
    const lastAtMs = Math.max(atMs, ...againAtMs)
    const own = marks ? bits(marks) : (this.marks[slot] ?? 0) & ~againMark
    this.marks[slot] = own | (againAtMs.length > 0 ? againMark : 0)
    this.atMs[slot] = Math.min(atMs, ...againAtMs)
    this.lastAtMs[slot] = lastAtMs
    this.recalledAtMs[slot] = Math.max(lastAtMs, document.recalledAtMs ?? lastAtMs)
    this.stability[slot] = (document.stability ?? 0) > 0 ? (document.stability ?? 1) : 1
    this.importance[slot] = Math.min(10, Math.max(0, document.importance || 0)) / 10
    this.speaker[slot] = speaker
    if (marks === undefined) return
    this.toldFromDay[slot] = marks.told?.fromDay ?? 0
    this.toldToDay[slot] = marks.told?.toDay ?? 0
  }

  /** Takes the document out of a slot. */
  free(slot: number): void {
    this.live[slot] = 0
    Object.assign(this.#counts, { speaker: [], marks: [], end: 0 })
  }

  /** The numbers of documents below a slot by speaker, and by marks of which only those of time and number are up to date. */
  countsBelow(slot: number): Readonly<Record<"speaker" | "marks", readonly number[]>> {
    const counts = this.#counts
    for (; counts.end < slot; counts.end++)
      for (const name of ["speaker", "marks"] as const) {
        const value = this[name][counts.end] ?? 0
        counts[name][value] = (counts[name][value] ?? 0) + (this.live[counts.end] ?? 0)
      }
    return counts
  }

  /** The columns of so many slots, for {@link DocumentColumns.restored}. */
  *sections(slots: number): Generator<Section> {
    for (const name of columnNames) yield this[name].subarray(0, slots)
  }

  /** Reads back what {@link sections} wrote. */
  static restored(reader: SectionReader): DocumentColumns {
    const columns = new DocumentColumns()
    for (const name of columnNames) Object.assign(columns, { [name]: reader.numbers(kindOf(columns[name])) })
    return columns
  }

  #grow(slot: number): void {
    if (slot >= this.live.length) for (const name of columnNames) Object.assign(this, { [name]: grown(this[name], slot) })
  }
}

const columnNames = [
  ...(["live", "marks", "atMs", "lastAtMs", "recalledAtMs"] as const),
  ...(["stability", "importance", "toldFromDay", "toldToDay", "speaker"] as const),
] as const

function bits({ time, number, told, question }: TextMarks): number {
  return (time ? timeMark : 0) | (number ? numberMark : 0) | (told === undefined ? 0 : toldMark) | (question ? questionMark : 0)
}

/** Arrays of scores that each query uses again, because filling them costs less than allocating them. They hold 0 at slots that are not touched. */
export class ScoreArrays {
  #arrays: Float64Array[] = []
  #taken = 0
  #size = 0
  /** 1 for each touched slot. */
  isTouched: Uint8Array = new Uint8Array(16)
  /** Two zeros for each slot, for whoever leaves zeros behind. */
  own: Uint8Array = new Uint8Array(16)
  around: Float64Array = new Float64Array(16)
  #touched: Int32Array = new Int32Array(16)
  #listed: number | undefined = 0

  get bytes(): number {
    return (this.#arrays.length * 8 + 14) * this.isTouched.length
  }

  /** Begins a query over `size` slots, without any touched one. Arrays that were taken before are used again. */
  restart(size: number): void {
    const { touched } = this
    for (const array of [...this.#arrays.slice(0, this.#taken), this.isTouched]) {
      if (touched.length * 8 > this.#size) array.fill(0)
      else for (const slot of touched) array[slot] = 0
    }
    if (size > this.isTouched.length) {
      this.isTouched = grown(this.isTouched, size - 1)
      this.own = new Uint8Array(this.isTouched.length)
      this.around = new Float64Array(this.isTouched.length)
      this.#touched = new Int32Array(this.isTouched.length)
      this.#arrays = []
    }
    this.#size = size
    this.#taken = 0
    this.#listed = 0
  }

  /** Makes a slot one that may have scores. */
  touch(slot: number): void {
    this.isTouched[slot] = 1
    this.#listed = undefined
  }

  /** Adds to the score of a slot. */
  add(scores: Float64Array, slot: number, score: number): void {
    this.touch(slot)
    scores[slot] = (scores[slot] ?? 0) + score
  }

  /** The slots that may have scores, in ascending order. */
  get touched(): Int32Array {
    let listed = this.#listed ?? 0
    if (this.#listed === undefined)
      for (let slot = 0; slot < this.#size; slot++) if (this.isTouched[slot] === 1) this.#touched[listed++] = slot
    this.#listed = listed
    return this.#touched.subarray(0, listed)
  }

  /** An array of zeros with a place for each slot. Only those of touched slots may be set. */
  take(): Float64Array {
    const array = this.#arrays[this.#taken] ?? new Float64Array(this.isTouched.length)
    this.#arrays[this.#taken++] = array
    return array
  }
}

/** The kind of some numbers, such as `Float64Array`. */
function kindOf<T extends Numbers>(numbers: T): NumbersOf<T> {
  return numbers.constructor as unknown as NumbersOf<T>
}

type Numbers = Float64Array | Uint32Array | Int32Array | Uint8Array

/** The same numbers with room for one at `index`: the array itself, or a copy that is longer by a quarter or more, filled up with `empty`. */
export function grown<T extends Numbers>(numbers: T, index: number, empty = 0): T {
  if (index < numbers.length) return numbers
  const larger = new (kindOf(numbers))(Math.max(16, Math.ceil(numbers.length * 1.25), index + 1))
  larger.set(numbers)
  if (empty !== 0) larger.fill(empty, numbers.length)
  return larger
}
