/** The tokens of an encoding, their bytes one after the other. */
export interface Tokens {
  readonly bytes: Uint8Array
  /** Where the bytes of each token end. */
  readonly ends: Uint32Array
  /** The rank of each token: of two possible merges the one with the lower rank comes first. */
  readonly ranks: Uint32Array
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const sextets = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, base64.indexOf(String.fromCharCode(code))))
const padding = "=".charCodeAt(0)

/**
 * Reads ranks as tiktoken ships them: lines of `!`, the first token's rank, and tokens in base64. They are decoded in
 * place: a string for each of 200,000 tokens would cost several times the rest.
 */
export function readRanks(text: string): Tokens {
  const bytes = new Uint8Array(text.length)
  const ends: number[] = []
  const ranks: number[] = []
  let end = 0
  for (const line of text.split("\n")) {
    const tokensAt = line.indexOf(" ", 2) + 1
    let rank = Number(line.slice(2, tokensAt))
    for (let at = tokensAt; at < line.length; ) {
      const space = line.indexOf(" ", at)
      const tokenEnd = space < 0 ? line.length : space
      end = decodeInto(bytes, end, line, at, tokenEnd)
      ends.push(end)
      ranks.push(rank++)
      at = tokenEnd + 1
    }
  }
  return { bytes: bytes.slice(0, end), ends: Uint32Array.from(ends), ranks: Uint32Array.from(ranks) }
}

/** Decodes the base64 of `text` between two offsets into `bytes` from `start` on; returns where it ends. */
function decodeInto(bytes: Uint8Array, start: number, text: string, from: number, to: number): number {
  let bits = 0
  let held = 0
  let end = start
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === padding) break
    bits = ((bits << 6) | (sextets[code] ?? 0)) & 0x3fff
    held += 6
    if (held < 8) continue
    held -= 8
    bytes[end++] = bits >> held
  }
  return end
}
