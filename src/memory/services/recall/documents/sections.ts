/** A part of an index's copy: numbers, or JSON as text. */
export type Section = Uint8Array | Uint32Array | Int32Array | Float64Array | string

/** A kind of numbers, such as `Float64Array`. */
export interface NumbersOf<T> {
  readonly BYTES_PER_ELEMENT: number
  new (of: ArrayBuffer | number): T
}

const headBytes = 8
const textKind = 0
/** The bytes of a part, but of the last one. A part is written and read in a few milliseconds. */
export const partBytes = 1_048_576
/** The values that one text of {@link listSections} holds. */
const listed = 4_096

/** A list of JSON values in sections of a few thousand, so that none takes long to write or to read. */
export function* listSections(values: readonly unknown[]): Generator<Section> {
  yield Uint32Array.of(values.length)
  for (let at = 0; at < values.length; at += listed) yield JSON.stringify(values.slice(at, at + listed))
}

/** The bytes of sections, cut into parts. Each part is made when it is asked for. */
export function* partsOf(sections: Iterable<Section>): Generator<Uint8Array<ArrayBuffer>> {
  let part = new Uint8Array(partBytes)
  let used = 0
  for (const bytes of piecesOf(sections)) {
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.subarray(at, at + partBytes - used)
      part.set(taken, used)
      used += taken.length
      at += taken.length
      if (used < partBytes) continue
      yield part
      part = new Uint8Array(partBytes)
      used = 0
    }
  }
  if (used > 0) yield part.slice(0, used)
}

function* piecesOf(sections: Iterable<Section>): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const section of sections) {
    const isText = typeof section === "string"
    const bytes = isText ? encoder.encode(section) : new Uint8Array(section.buffer, section.byteOffset, section.byteLength)
    const head = new DataView(new ArrayBuffer(headBytes))
    head.setUint32(0, isText ? textKind : section.BYTES_PER_ELEMENT, true)
    head.setUint32(headBytes / 2, bytes.length, true)
    yield new Uint8Array(head.buffer)
    yield bytes
  }
}

/** Reads sections back, in the order in which they were written. Every method throws a `RangeError` if the parts do not hold what is asked for. */
export class SectionReader {
  readonly #parts: readonly Uint8Array[]
  #part = 0
  #at = 0

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts
  }

  numbers<T>(type: NumbersOf<T>): T {
    return new type(this.#section(type.BYTES_PER_ELEMENT).buffer)
  }

  text(): string {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#section(textKind))
  }

  /** A list that {@link listSections} wrote. Each step reads some values. */
  *list<T>(): Generator<readonly T[]> {
    const [length = 0] = this.numbers(Uint32Array)
    for (let read = 0; read < length; ) {
      const values = JSON.parse(this.text()) as readonly T[]
      if (!Array.isArray(values) || values.length === 0) throw new RangeError("expected a list of values")
      read += values.length
      yield values
    }
  }

  #section(kind: number): Uint8Array<ArrayBuffer> {
    const head = new DataView(this.#bytes(headBytes).buffer)
    const found = head.getUint32(0, true)
    if (found !== kind) throw new RangeError(`expected a section of kind ${kind}, found ${found}`)
    return this.#bytes(head.getUint32(headBytes / 2, true))
  }

  #bytes(length: number): Uint8Array<ArrayBuffer> {
    this.#expect(length)
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      const part = this.#parts[this.#part] ?? new Uint8Array()
      const taken = part.subarray(this.#at, this.#at + length - filled)
      bytes.set(taken, filled)
      filled += taken.length
      this.#at += taken.length
      if (this.#at < part.length) continue
      this.#part += 1
      this.#at = 0
    }
    return bytes
  }

  /** Throws before bytes are reserved that are not there. */
  #expect(length: number): void {
    let left = -this.#at
    for (let part = this.#part; left < length && part < this.#parts.length; part++) left += this.#parts[part]?.length ?? 0
    if (left < length) throw new RangeError(`expected ${length} bytes, found ${Math.max(0, left)}`)
  }
}
