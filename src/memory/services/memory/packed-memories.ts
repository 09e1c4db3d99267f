import type { Section, SectionReader } from "../recall/documents/sections.ts"
import type { Steps } from "../recall/documents/steps.ts"
import type { StoredMemory } from "../store/records.ts"

/** The properties that many memories have in common. */
type CommonMembers = Pick<StoredMemory, "agent" | "conversation" | "audience" | "user" | "kind" | "speaker">
/** The number of those, what each memory has, and what only some have. */
type PackedMemory = readonly [number, string, number, string, number, Partial<StoredMemory>]

/** About what a memory takes beside its packed text. */
const placeBytes = 72
/** Each letter of a text takes two bytes if one of them is no letter of Western Europe. */
const wideBytes = 2

/**
 * Memories by id, each as a JSON text in place of an object, which takes a third of the room. What memories have in common, such as their
 * speaker and conversation, is kept once.
 */
export class PackedMemories {
  /** By id. A number is the place in the copy. */
  readonly #packed = new Map<string, string | number>()
  #copied: CopiedTexts | undefined
  readonly #common: CommonMembers[] = []
  readonly #commonNumbers = new Map<string, number>()
  #textBytes = 0
  /** The number of memories. A value and no getter, because every turn reads it. */
  size = 0

  /** About what all of them take in memory. */
  get bytes(): number {
    return this.#textBytes + (this.#copied?.bytes ?? 0) + this.size * placeBytes + this.#common.length * placeBytes * 4
  }

  get(id: string): StoredMemory | undefined {
    const packed = this.#textOf(id)
    if (packed === undefined) return undefined
    const [number, text, atMs, turnId, turn, own] = JSON.parse(packed) as PackedMemory
    const common = this.#common[number]
    return common && { id, ...common, text, atMs, ...own, turnId, turn }
  }

  set(memory: StoredMemory): void {
    const { id, agent, conversation, audience, user, kind, speaker, text, atMs, turnId, turn, ...own } = memory
    const number = this.#numberOf({ agent, conversation, audience, user, kind, speaker })
    const packed = JSON.stringify([number, text, atMs, turnId, turn, own])
    this.delete(id)
    this.#packed.set(id, packed)
    this.size = this.#packed.size
    this.#textBytes += bytesOf(packed)
  }

  delete(id: string): void {
    const packed = this.#packed.get(id)
    if (typeof packed === "string") this.#textBytes -= bytesOf(packed)
    this.#packed.delete(id)
    this.size = this.#packed.size
  }

  /** The memories of some ids, for {@link PackedMemories.restored}. */
  *sections(ids: readonly string[]): Generator<Section> {
    yield JSON.stringify(this.#common)
    yield* CopiedTexts.sections(ids, (id) => this.#textOf(id) ?? "")
  }

  /** Reads back what {@link sections} wrote of these ids, in steps. A memory is unpacked when it is needed. */
  static *restored(reader: SectionReader, ids: readonly string[]): Steps<PackedMemories> {
    const memories = new PackedMemories()
    for (const common of JSON.parse(reader.text()) as CommonMembers[]) memories.#numberOf(common)
    for (const [place, id] of ids.entries()) {
      memories.#packed.set(id, place)
      yield 1
    }
    memories.size = ids.length
    memories.#copied = yield* CopiedTexts.restored(reader, ids.length)
    return memories
  }

  #textOf(id: string): string | undefined {
    const packed = this.#packed.get(id)
    return typeof packed === "number" ? this.#copied?.at(packed) : packed
  }

  #numberOf(common: CommonMembers): number {
    const text = JSON.stringify(common)
    const known = this.#commonNumbers.get(text)
    if (known !== undefined) return known
    const number = this.#common.push(common) - 1
    this.#commonNumbers.set(text, number)
    return number
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the first 256 characters take one byte each
const wide = /[^\u0000-\u00ff]/

function bytesOf(text: string): number {
  return text.length * (wide.test(text) ? wideBytes : 1)
}

/** The texts that are written and read at once. */
const batchSize = 32
/** A batch is copied in the time of about so many terms. */
const batchUnits = 32

/** The texts of a copy. One is decoded when it is needed. */
export class CopiedTexts {
  /** Parts of the texts: their bytes one after the other, and the end of each. */
  readonly #batches: { readonly bytes: Uint8Array; readonly ends: Uint32Array }[] = []
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
