/** The hash of a text. The hash of two joined texts is made from theirs, without reading the texts again. */
export interface TextHash {
  readonly low: number
  readonly high: number
  /** Factors for the hash of a text that stands before this one. */
  readonly lowPower: number
  readonly highPower: number
}

const lowBase = 0x01000193
const highBase = 0x5bd1e995

/** Hashes a text: two independent 32-bit polynomials over its UTF-16 units. */
export function hashText(text: string): TextHash {
  let [low, high, lowPower, highPower] = [0, 0, 1, 1]
  for (let at = 0; at < text.length; at++) {
    const unit = Math.imul(text.charCodeAt(at) + 0x7f4a7c15, 0x2c1b3c6d)
    const mixed = unit ^ (unit >>> 15)
    low = (Math.imul(low, lowBase) + mixed) | 0
    high = (Math.imul(high, highBase) + Math.imul(mixed, 0x297a2d39)) | 0
    lowPower = Math.imul(lowPower, lowBase)
    highPower = Math.imul(highPower, highBase)
  }
  return { low, high, lowPower, highPower }
}

/** The hash of two joined texts, from their hashes. */
export function joinHashes(first: TextHash, second: TextHash): TextHash {
  return {
    low: (Math.imul(first.low, second.lowPower) + second.low) | 0,
    high: (Math.imul(first.high, second.highPower) + second.high) | 0,
    lowPower: Math.imul(first.lowPower, second.lowPower),
    highPower: Math.imul(first.highPower, second.highPower),
  }
}

/**
 * A running hash of texts. Equal texts in equal order give equal digests, however they are cut into pieces. It detects changes;
 * it does not withstand an attacker.
 */
export class Fingerprint {
  #low = 0x811c9dc5
  #high = 0xcbf29ce4

  add(text: string): this {
    return this.addHash(hashText(text))
  }

  /** Adds a text by its hash. */
  addHash(hash: TextHash): this {
    this.#low = (Math.imul(this.#low, hash.lowPower) + hash.low) | 0
    this.#high = (Math.imul(this.#high, hash.highPower) + hash.high) | 0
    return this
  }

  /** 16 hexadecimal digits of everything added so far. */
  digest(): string {
    let digits = ""
    for (const word of [this.#high, this.#low]) digits += (word >>> 0).toString(16).padStart(8, "0")
    return digits
  }
}
