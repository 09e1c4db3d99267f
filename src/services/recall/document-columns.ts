import { grown } from "./growable.ts"
import type { RecallDocument } from "./recall-document.ts"
import type { TextMarks } from "./text-marks.ts"

/** Bits of {@link DocumentColumns.marks}. */
export const timeMark = 1
export const numberMark = 2
export const toldMark = 4
export const questionMark = 8

/** What ranking reads of every document, by slot, in arrays of numbers: a question goes through all of them. */
export class DocumentColumns {
  live: Uint8Array = new Uint8Array(16)
  marks: Uint8Array = new Uint8Array(16)
  atMs: Float64Array = new Float64Array(16)
  recalledAtMs: Float64Array = new Float64Array(16)
  stability: Float64Array = new Float64Array(16)
  /** From 0 to 1. */
  importance: Float64Array = new Float64Array(16)
  toldFromDay: Int32Array = new Int32Array(16)
  toldToDay: Int32Array = new Int32Array(16)
  /** A number for the id of the speaker. */
  speaker: Int32Array = new Int32Array(16)

  get bytes(): number {
    return this.live.length * (2 + 4 * 8 + 3 * 4)
  }

  set(slot: number, document: RecallDocument, marks: TextMarks, speaker: number): void {
    this.#grow(slot)
    this.live[slot] = 1
    this.marks[slot] = bits(marks)
    this.atMs[slot] = document.atMs
    this.recalledAtMs[slot] = document.recalledAtMs ?? document.atMs
    this.stability[slot] = (document.stability ?? 0) > 0 ? (document.stability ?? 1) : 1
    this.importance[slot] = Math.min(10, Math.max(0, document.importance || 0)) / 10
    this.toldFromDay[slot] = marks.told?.fromDay ?? 0
    this.toldToDay[slot] = marks.told?.toDay ?? 0
    this.speaker[slot] = speaker
  }

  free(slot: number): void {
    this.live[slot] = 0
  }

  /** Takes over what another one has at a slot. */
  copy(slot: number, from: DocumentColumns, at: number): void {
    this.#grow(slot)
    this.live[slot] = 1
    this.marks[slot] = from.marks[at] ?? 0
    this.atMs[slot] = from.atMs[at] ?? 0
    this.recalledAtMs[slot] = from.recalledAtMs[at] ?? 0
    this.stability[slot] = from.stability[at] ?? 1
    this.importance[slot] = from.importance[at] ?? 0
    this.toldFromDay[slot] = from.toldFromDay[at] ?? 0
    this.toldToDay[slot] = from.toldToDay[at] ?? 0
    this.speaker[slot] = from.speaker[at] ?? 0
  }

  #grow(slot: number): void {
    if (slot < this.live.length) return
    this.live = grown(this.live, slot)
    this.marks = grown(this.marks, slot)
    this.atMs = grown(this.atMs, slot)
    this.recalledAtMs = grown(this.recalledAtMs, slot)
    this.stability = grown(this.stability, slot)
    this.importance = grown(this.importance, slot)
    this.toldFromDay = grown(this.toldFromDay, slot)
    this.toldToDay = grown(this.toldToDay, slot)
    this.speaker = grown(this.speaker, slot)
  }
}

function bits({ time, number, told, question }: TextMarks): number {
  return (time ? timeMark : 0) | (number ? numberMark : 0) | (told === undefined ? 0 : toldMark) | (question ? questionMark : 0)
}
