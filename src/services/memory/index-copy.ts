import type { Section, SectionReader } from "../recall/documents/sections.ts"
import { RecallIndex } from "../recall/recall-index.ts"
import type { RecallDocument } from "../recall/recall-query.ts"

/** The bodies that are written and read at once. */
const batchSize = 256

/** A part of the bodies: their bytes one after the other, and the end of each. */
interface Batch {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

/** The memories of a copy, as JSON. One is read when it is needed. */
export class CopiedBodies {
  readonly #batches: Batch[] = []
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  /** The JSON of the memory at a place. */
  at(place: number): string {
    const { bytes, ends } = this.#batches[Math.floor(place / batchSize)] ?? { bytes: new Uint8Array(), ends: new Uint32Array() }
    const own = place % batchSize
    return new TextDecoder().decode(bytes.subarray(own === 0 ? 0 : ends[own - 1], ends[own]))
  }

  /** The memories of some ids, for {@link CopiedBodies.restored}. */
  static *sections(ids: readonly string[], bodyOf: (id: string) => string): Generator<Section> {
    const encoder = new TextEncoder()
    for (let at = 0; at < ids.length; at += batchSize) {
      const bodies = ids.slice(at, at + batchSize).map((id) => encoder.encode(bodyOf(id)))
      const ends = new Uint32Array(bodies.length)
      let end = 0
      bodies.forEach((body, i) => {
        end += body.length
        ends[i] = end
      })
      const bytes = new Uint8Array(end)
      bodies.forEach((body, i) => {
        bytes.set(body, (ends[i] ?? 0) - body.length)
      })
      yield ends
      yield bytes
    }
  }

  /** Reads back what {@link sections} wrote, in steps. */
  static *restored(reader: SectionReader, count: number): Generator<void, CopiedBodies> {
    const bodies = new CopiedBodies()
    for (let read = 0; read < count; read += batchSize) {
      const ends = reader.numbers(Uint32Array)
      const bytes = reader.numbers(Uint8Array)
      if (ends.length !== Math.min(batchSize, count - read) || ends.at(-1) !== bytes.length)
        throw new RangeError("expected the texts of all memories")
      bodies.#batches.push({ ends, bytes })
      bodies.#bytes += bytes.length
      if (read % (16 * batchSize) === 0) yield
    }
    return bodies
  }
}

/** An index with its memories, and the names of their facts. */
export interface IndexCopy {
  readonly index: RecallIndex
  readonly bodies: CopiedBodies
  /** The ids of the memories; each one's place is that of its body. */
  readonly ids: readonly string[]
  /** The ids of memories by the name of the fact that they tell. */
  readonly facts: ReadonlyMap<string, ReadonlySet<string>>
}

/** The sections of an index with its memories, for {@link restoredCopy}. */
export function* copySections(index: RecallIndex, facts: IndexCopy["facts"], bodyOf: (id: string) => string): Generator<Section> {
  yield* index.sections()
  yield JSON.stringify(Array.from(facts, ([fact, ids]) => [fact, [...ids]]))
  yield* CopiedBodies.sections(index.ids(), bodyOf)
}

/** Reads back what {@link copySections} wrote, in steps of a few milliseconds. Throws if it is something else. */
export function* restoredCopy(reader: SectionReader, read: (id: string) => RecallDocument): Generator<void, IndexCopy> {
  const index = yield* RecallIndex.restored(reader, read)
  const facts = JSON.parse(reader.text()) as [string, string[]][]
  const ids = index.ids()
  const bodies = yield* CopiedBodies.restored(reader, ids.length)
  return { index, bodies, ids, facts: new Map(facts.map(([fact, told]) => [fact, new Set(told)])) }
}
