import { createRequire } from "node:module"
import { createEncoder } from "../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { createRankTable, readRanks } from "../../src/adapters/tokenizers/tiktoken/rank-table.ts"
import { encodingSources } from "../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import { truncateText } from "../../src/prompt/assemble/truncate-text.ts"
import { randomOf } from "../support/fuzzed-assemblies.ts"
import type { BenchOptions, BenchResult, Gate, Row } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"

const require = createRequire(import.meta.url)
const table = createRankTable(readRanks((require("tiktoken/encoders/o200k_base.json") as { bpe_ranks: string }).bpe_ranks))

const units = 130_000
const shares = [0.01, 0.5, 0.9]
const sides = ["headTail", "head", "tail"] as const
const bound = 1.3

/** A cut whose work is counted, from how many tokens down to which, and which end is left. */
interface Cut {
  readonly text: string
  readonly maxTokens: number
  readonly shrink: (typeof sides)[number]
}

/** Cutting text without a break beside counting it once; the gates are bytes merged, and the CPU of both in one process. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const texts = unbroken()
  const work = Object.entries(texts).map(([name, text]) => ({ name, ...mergedOf(text) }))
  const most = work.toSorted((a, b) => b.most - a.most)[0]
  const rows: Row[] = []
  for (const { name, most: merged } of peers ? work : [])
    rows.push({ ...(await cpuRow(name, texts[name] ?? "")), merged: `${merged.toFixed(2)}×` })
  return {
    title: `Cuts of ${units / 1000}k UTF-16 units without a break, to 1, 50 and 90 % of the tokens, o200k_base (CPU, medians)`,
    rows,
    gates: [
      {
        name: `a cut of any unbroken run merges at most ${bound} × the bytes that counting it once merges`,
        ok: (most?.most ?? 0) <= bound,
        detail: `${most?.most.toFixed(2)} × at most, for ${most?.name}`,
      },
      await cpuGate(texts.letters ?? ""),
    ],
    notes: [
      `\`a cut / a count\` is the greatest ratio of all cuts of the text; the bound is ${bound}. \`merged\` is the same in bytes looked up. ` +
        "A notice joins the line ends behind it: where a run of the same characters was counted, it is not merged again behind others.",
    ],
  }
}

function freshEncoder() {
  const work = { steps: 0 }
  const encoder = createEncoder({ table, split: encodingSources.o200k_base.split, work })
  const counter: TokenCounter = { exact: true, ...encoder }
  return { counter, work }
}

function cutsOf(text: string): Cut[] {
  const total = freshEncoder().counter.count(text)
  return shares.flatMap((share) => sides.map((shrink) => ({ text, shrink, maxTokens: Math.max(60, Math.floor(total * share)) })))
}

function cut({ text, maxTokens, shrink }: Cut, counter: TokenCounter): void {
  truncateText(text, { maxTokens, shrink, counter, notice: ({ kept, total }) => `[...${kept} of ${total}...]` })
}

/** The most that a cut merges, to what one count merges. */
function mergedOf(text: string): { readonly most: number } {
  const one = freshEncoder()
  one.counter.count(text)
  const all = cutsOf(text).map((given) => {
    const { counter, work } = freshEncoder()
    cut(given, counter)
    return work.steps / one.work.steps
  })
  return { most: Math.max(...all) }
}

/** The greatest ratio of a cut to one count, each the median of interleaved rounds. */
async function cpuOf(text: string, rounds: number): Promise<{ readonly countMs: number; readonly ratio: number }> {
  const cuts = cutsOf(text)
  const counted: number[] = []
  const taken = cuts.map(() => [] as number[])
  for (let round = 0; round < rounds; round++) {
    const { counter } = freshEncoder()
    counted.push(await cpuMsAlone(() => counter.count(text)))
    for (const [index, given] of cuts.entries()) {
      const { counter: fresh } = freshEncoder()
      taken[index]?.push(await cpuMsAlone(() => cut(given, fresh)))
    }
  }
  const countMs = median(counted)
  return { countMs, ratio: Math.max(...taken.map((ms) => median(ms) / countMs)) }
}

async function cpuRow(what: string, text: string): Promise<Row> {
  const { countMs, ratio } = await cpuOf(text, 7)
  return { what, "one count": formatMs(countMs), "a cut / a count, at most": formatRatio(ratio, 1), bound: `${bound}×` }
}

/** The bound with room for a busy machine, in the best of three tries. Before token ends were remembered it was 10 to 20. */
async function cpuGate(text: string): Promise<Gate> {
  const room = 2
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least > bound * room; tries++) least = Math.min(least, (await cpuOf(text, 3)).ratio)
  return {
    name: `cutting 130,000 letters without a break takes at most ${bound} × ${room} the CPU of one count`,
    ok: least <= bound * room,
    detail: `${least.toFixed(2)} ×`,
  }
}

/** Texts of which the tokenizer's pattern makes one piece, or few. */
function unbroken(): Record<string, string> {
  const random = randomOf(7)
  const of = (characters: string) => {
    const all = [...characters]
    let text = ""
    while (text.length < units) text += all[Math.floor(random() * all.length)] ?? ""
    return text.slice(0, units).toWellFormed()
  }
  return {
    letters: of("abcdefghijklmnopqrstuvwxyz"),
    "Chinese without spaces": of("的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生"),
    emoji: of("😀🎉👍🏽❤️🇩🇪👨‍👩‍👧🤷"),
    "a line of punctuation": of("!?.,;:-_=+*&^%$#@~"),
    "one letter": "a".repeat(units),
    "two characters": "-_".repeat(units / 2),
    spaces: " ".repeat(units),
    "line ends": "\n".repeat(units),
    "line ends of Windows": "\r\n".repeat(units / 2),
    "blank lines with a space": " \n".repeat(units / 2),
    "words, then line ends": "word ".repeat(units / 10) + "\n".repeat(units / 2),
    "accents on one letter": `e${"\u0301".repeat(units - 1)}`,
    "lines of 1,000 letters": of("abcdefghijklmnopqrstuvwxyz").replaceAll(/.{999}./g, (line) => `${line.slice(1)}\n`),
  }
}
