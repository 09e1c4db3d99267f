import type { Section, SectionReader } from "../recall/documents/sections.ts"
import type { Steps } from "../recall/documents/steps.ts"

/** The texts that are written and read at once. */
const batchSize = 32
/** A batch is copied in the time of about so many terms. */
const batchUnits = 32

/** A part of the texts: their bytes one after the other, and the end of each. */
interface Batch {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

/** The texts of a copy. One is decoded when it is needed. */
export class CopiedTexts {
  readonly #batches: Batch[] = []
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  /** The text at a place. */
  at(place: number): string {
    const { bytes, ends } = this.#batches[Math.floor(place / batchSize)] ?? { bytes: new Uint8Array(), ends: new Uint32Array() }
    const own = place % batchSize
    return new TextDecoder().decode(bytes.subarray(own === 0 ? 0 : ends[own - 1], ends[own]))
  }

  /** The texts of some ids, for {@link CopiedTexts.restored}. */
  static *sections(ids: readonly string[], textOf: (id: string) => string): Generator<Section> {
    const encoder = new TextEncoder()
    for (let at = 0; at < ids.length; at += batchSize) {
      const texts = ids.slice(at, at + batchSize).map((id) => encoder.encode(textOf(id)))
      const ends = new Uint32Array(texts.length)
      let end = 0
      texts.forEach((text, i) => {
        end += text.length
        ends[i] = end
      })
      const bytes = new Uint8Array(end)
      texts.forEach((text, i) => {
        bytes.set(text, (ends[i] ?? 0) - text.length)
      })
      yield ends
      yield bytes
    }
  }

  /** Reads back what {@link sections} wrote, in steps. */
  static *restored(reader: SectionReader, count: number): Steps<CopiedTexts> {
    const texts = new CopiedTexts()
    for (let read = 0; read < count; read += batchSize) {
      const ends = reader.numbers(Uint32Array)
      const bytes = reader.numbers(Uint8Array)
      if (ends.length !== Math.min(batchSize, count - read) || ends.at(-1) !== bytes.length)
        throw new RangeError("expected the texts of all memories")
      texts.#batches.push({ ends, bytes })
      texts.#bytes += bytes.length
      yield batchUnits
    }
    return texts
  }
}
