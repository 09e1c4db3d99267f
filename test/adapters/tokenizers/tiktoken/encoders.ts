import { createRequire } from "node:module"
import { get_encoding, type Tiktoken } from "tiktoken"
import { loadClasses } from "../../../../src/adapters/tokenizers/tiktoken/char-class.ts"
import { createEncoder, type Encoder } from "../../../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { type MergeWork, PieceMerge } from "../../../../src/adapters/tokenizers/tiktoken/piece-merge.ts"
import {
  createRankTable,
  type RankTable,
  readRanks,
  type Tokens,
} from "../../../../src/adapters/tokenizers/tiktoken/rank-table.ts"
import type { Split } from "../../../../src/adapters/tokenizers/tiktoken/split.ts"
import { writeUtf8 } from "../../../../src/adapters/tokenizers/tiktoken/text-merge.ts"
import { encodingSources, type TiktokenEncoding } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"

export const encodings = Object.keys(encodingSources) as TiktokenEncoding[]

const require = createRequire(import.meta.url)

/** Everything about one encoding, ours and tiktoken's. */
export interface Both {
  readonly tiktoken: Tiktoken
  readonly split: Split
  readonly tokens: Tokens
  readonly table: RankTable
  /** Our encoder, with its work counted. */
  readonly encoder: Encoder
  readonly work: MergeWork
}

const loaded = new Map<TiktokenEncoding, Both>()

export function both(encoding: TiktokenEncoding): Both {
  const known = loaded.get(encoding)
  if (known) return known
  const { bpe_ranks } = require(`tiktoken/encoders/${encoding}.json`) as { bpe_ranks: string }
  const tokens = readRanks(bpe_ranks)
  const table = createRankTable(tokens)
  const { split } = encodingSources[encoding]
  const work = { steps: 0 }
  loadClasses()
  const made = {
    tiktoken: get_encoding(encoding),
    split,
    tokens,
    table,
    encoder: createEncoder({ table, split, work }),
    work,
  }
  loaded.set(encoding, made)
  return made
}

/** The tokens of a text by our splitters and merge. Of the encoder's shortcuts it has one: a piece that is a token is that token. */
export function tokensOf(text: string, { split, table, work }: Both): number[] {
  const tokens: number[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = split(text, at)
    const bytes = new Uint8Array((end - at) * 3)
    const length = writeUtf8(text, at, end, bytes)
    tokens.push(...tokensOfPiece(bytes, length, table, work))
  }
  return tokens
}

function tokensOfPiece(bytes: Uint8Array, length: number, table: RankTable, work: MergeWork): number[] {
  const whole = table.rank(bytes, 0, length)
  if (whole >= 0) return [whole]
  const merge = new PieceMerge(length, table, work)
  const tokens: number[] = []
  merge.run(bytes, length)
  for (let at = 0; at < length; at = merge.tokenEnd(at)) tokens.push(table.rank(bytes, at, merge.tokenEnd(at)))
  return tokens
}
