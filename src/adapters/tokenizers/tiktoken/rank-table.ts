/** The tokens of an encoding, found by their bytes. */
export type RankTable = ReturnType<typeof createRankTable>

/**
 * Makes a hash table of tokens: open addressing, at most half full, in typed arrays of some 5 MB for 200,000 tokens. The tokens are
 * fixed, so no text can cause more collisions.
 */
export function createRankTable({ bytes: pool, ends, ranks }: Tokens) {
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
    /** Bytes of the longest token. */
    longestBytes,
    /** The rank of the token whose bytes are `bytes` from `from` to `to`, or -1 when there is none. */
    rank(bytes: Uint8Array, from: number, to: number): number {
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
const sextets = Uint8Array.from({ length: 256 }, (_, code) => Math.max(0, base64.indexOf(String.fromCharCode(code))))
const [lineFeed, space, zero, padding] = [0x0a, 0x20, 0x30, 0x3d]

/**
 * Reads ranks as tiktoken ships them: lines of `!`, the first token's rank, and tokens in base64. It makes no string for each of the
 * 200,000 tokens, which would take several times as long.
 */
export function readRanks(text: string): Tokens {
  const source = new TextEncoder().encode(text)
  const bytes = new Uint8Array(source.length)
  const [ends, ranks] = [new Uint32Array(source.length >> 1), new Uint32Array(source.length >> 1)]
  let [count, end] = [0, 0]
  for (let at = 0; at < source.length; at++) {
    let rank = 0
    for (at += 2; at < source.length && source[at] !== space; at++) rank = rank * 10 + (source[at] ?? 0) - zero
    while (source[at] === space) {
      let [bits, held] = [0, 0]
      for (at++; at < source.length; at++) {
        const code = source[at] ?? 0
        if (code === space || code === lineFeed) break
        if (code === padding) continue
        bits = ((bits << 6) | (sextets[code] ?? 0)) & 0x3fff
        held += 6
        if (held < 8) continue
        held -= 8
        bytes[end++] = bits >> held
      }
      ends[count] = end
      ranks[count++] = rank++
    }
  }
  return { bytes: bytes.slice(0, end), ends: ends.slice(0, count), ranks: ranks.slice(0, count) }
}
