/** The tokens of an encoding, found by their bytes. */
export interface RankTable {
  /** Bytes of the longest token. */
  readonly longestBytes: number
  /** The rank of the token whose bytes are `bytes` from `from` to `to`, or -1 when there is none. */
  rank(bytes: Uint8Array, from: number, to: number): number
}

/**
 * Makes a hash table of tokens: open addressing, at most half full, in typed arrays of some 5 MB for 200,000 tokens. The tokens are
 * fixed, so no text can cause more collisions.
 */
export function createRankTable({ bytes: pool, ends, ranks }: Tokens): RankTable {
  const mask = 2 ** Math.ceil(Math.log2(ranks.length * 2)) - 1
  /** Token numbers plus one; 0 is free. */
  const slots = new Uint32Array(mask + 1)
  const startOf = (token: number) => ends[token - 1] ?? 0
  const endOf = (token: number) => ends[token] ?? 0
  let longestBytes = 0
  for (let token = 0; token < ranks.length; token++) {
    longestBytes = Math.max(longestBytes, endOf(token) - startOf(token))
    let slot = hash(pool, startOf(token), endOf(token)) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = token + 1
  }
  return {
    longestBytes,
    rank(bytes, from, to) {
      if (to - from > longestBytes) return -1
      for (let slot = hash(bytes, from, to) & mask; ; slot = (slot + 1) & mask) {
        const token = (slots[slot] ?? 0) - 1
        if (token < 0) return -1
        const start = startOf(token)
        if (endOf(token) - start === to - from && sameBytes(pool, start, bytes, from, to)) return ranks[token] ?? -1
      }
    },
  }
}

/** FNV-1a with its high bits folded in, since the table looks at the low ones. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5
  for (let at = from; at < to; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193)
  return value ^ (value >>> 15)
}

function sameBytes(pool: Uint8Array, start: number, bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from, poolAt = start; at < to; at++, poolAt++) if (pool[poolAt] !== bytes[at]) return false
  return true
}

/** The tokens of an encoding, with their bytes one after the other. */
export interface Tokens {
  readonly bytes: Uint8Array
  /** The end of each token's bytes. */
  readonly ends: Uint32Array
  /** The rank of each token. Of two possible merges the one with the lower rank comes first. */
  readonly ranks: Uint32Array
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const sextets = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, base64.indexOf(String.fromCharCode(code))))
const padding = "=".charCodeAt(0)

/**
 * Reads ranks as tiktoken ships them: lines of `!`, the first token's rank, and tokens in base64. It makes no string for each of the
 * 200,000 tokens, which would take several times as long.
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

/** Decodes the base64 of `text` between two offsets into `bytes` from `start` on, and returns the end. */
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
