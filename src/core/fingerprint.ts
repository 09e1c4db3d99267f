/**
 * A running hash of texts: two independent 32-bit FNV-1a lanes over UTF-16 units. Equal texts in equal order give equal
 * digests; it tells changes apart, it does not withstand an attacker.
 */
export class Fingerprint {
  #low = 0x811c9dc5
  #high = 0xcbf29ce4

  add(text: string): this {
    let low = this.#low
    let high = this.#high
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      low = Math.imul(low ^ unit, 0x01000193)
      high = Math.imul(high ^ ((unit << 7) | (unit >>> 9)), 0x01000197)
    }
    this.#low = low
    this.#high = high
    return this
  }

  /** 16 hexadecimal digits of everything added so far. */
  digest(): string {
    return hex(this.#high) + hex(this.#low)
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0")
}
