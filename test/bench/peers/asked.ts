import { createRequire } from "node:module"
import { createEncoder } from "../../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { createRankTable, type RankTable, readRanks } from "../../../src/adapters/tokenizers/tiktoken/rank-table.ts"
import { encodingSources } from "../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { remembering } from "../workloads.ts"
import type { Asked, Contestant } from "./contestant.ts"

/** A tokenizer that knows how much it has read. */
export interface Measured extends Asked {
  /** UTF-16 units since it was made. */
  units(): number
}

let table: RankTable | undefined

/** An o200k_base tokenizer that has seen nothing; with a memo, what was counted once is not sent to it again. */
export function asking(memo: boolean): Measured {
  const require = createRequire(import.meta.url)
  table ??= createRankTable(readRanks((require("tiktoken/encoders/o200k_base.json") as { bpe_ranks: string }).bpe_ranks))
  const encoder: Omit<TokenCounter, "exact"> = createEncoder({ table, split: encodingSources.o200k_base.split })
  let units = 0
  const counter = measuring({ exact: true, ...encoder }, (read) => {
    units += read
  })
  const count = (text: string) => counter.count(text)
  return { counter, count: memo ? remembering(count) : count, units: () => units }
}

/** Whichever way text goes to the tokenizer, it is measured. */
function measuring(counter: TokenCounter, read: (units: number) => void): TokenCounter {
  const { count, pieces, scan } = counter
  return {
    exact: counter.exact,
    count(text) {
      read(text.length)
      return count(text)
    },
    ...(pieces && {
      pieces(text) {
        read(text.length)
        return pieces(text)
      },
    }),
    ...(scan && {
      scan(text, visit) {
        let last = 0
        scan(text, (end, own) => {
          last = end
          return visit(end, own)
        })
        read(last)
      },
    }),
  }
}

/** A library as it is, and with its user's own map from texts to counts. Ours keeps counts by itself. */
export function variants(contestants: readonly Contestant[]): { contestant: Contestant; memo: boolean; label: string }[] {
  return contestants.flatMap((contestant) => {
    const label = `${contestant.name} ${contestant.version}`
    if (contestant.name === "promptstrata") return [{ contestant, memo: false, label }]
    return [false, true].map((memo) => ({ contestant, memo, label: memo ? `${label}, memo` : label }))
  })
}

/** True for what keeps counts from one prompt to the next. */
export function remembers({ name }: Contestant, memo: boolean): boolean {
  return memo || name === "promptstrata"
}
