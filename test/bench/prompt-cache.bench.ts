import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/index.ts"
import { type ComparedDialect, compareDialects, comparisonRows, fullLowMark, ofPossible } from "../support/cache-comparison.ts"
import { kinds, type PricedPause, pauseRows, pricedPauses } from "../support/keep-alive-price.ts"
import type { BenchOptions, BenchResult, Gate } from "./bench.ts"
import { formatTable } from "./report.ts"

const pages = ["docs/prompt-cache.md", "docs/prompt-cache.zh-CN.md"]
const pathOf = (page: string) => fileURLToPath(new URL(`../../${page}`, import.meta.url))
const begin = "<!-- table, written by `npm run bench -- --write` -->"
const beginPauses = "<!-- prices of a pause, written by `npm run bench -- --write` -->"
const end = "<!-- end of table -->"

/** What a provider's prefix cache would serve of a fixed conversation of 200 turns, by dialect; everything is counted, nothing timed. */
export async function run({ write = false }: BenchOptions): Promise<BenchResult> {
  const counter = await tiktokenCounter({ encoding: "o200k_base" })
  const compared = compareDialects(counter)
  const rows = comparisonRows(compared)
  const priced = pricedPauses(counter)
  const pauses = formatTable(pauseRows(priced))
  const written = pages.map((page) => {
    const text = readFileSync(pathOf(page), "utf8")
    const now = withTable(page, withTable(page, text, { begin, table: formatTable(rows) }), { begin: beginPauses, table: pauses })
    if (write) writeFileSync(pathOf(page), now)
    return { name: `${page} holds these tables`, ok: write || now === text, detail: "else: npm run bench -- --write" }
  })
  return {
    title: "Served from a prefix cache over 200 turns, by dialect",
    rows,
    gates: [...gatesOf(compared), ...priced.flatMap(breakEvenGates), ...written],
    notes: ["The price of a pause and the return behind it, by the requests that keep the cache alive (L28):", "", pauses],
  }
}

function gatesOf(compared: readonly ComparedDialect[]): Gate[] {
  return compared
    .filter(({ dialect }) => dialect === "layered" || dialect === "stack-cached")
    .flatMap(({ dialect, lowMark, automatic, explicit }) => {
      const what = `${dialect}, history of ${lowMark}–${2 * lowMark} messages`
      return [
        atLeast(`${what}: of what an automatic cache could serve`, ofPossible(automatic), 0.98),
        atLeast(`${what}: of what a cache with explicit marks could serve`, ofPossible(explicit), 0.98),
        ...(lowMark === fullLowMark ? [atLeast(`${what}: of all prompt tokens, automatic`, automatic.share, 0.9)] : []),
        ...(lowMark === fullLowMark ? [atLeast(`${what}: of all prompt tokens, explicit`, explicit.share, 0.9)] : []),
      ]
    })
}

/** One request pays exactly where the chance of a return in time is above the break-even. */
function breakEvenGates({ meanMinutes, neverShare, chance, prices, breakEven }: PricedPause): Gate[] {
  return kinds.map((kind) => {
    const [without = 0, one = 0] = prices[kind]
    const name = `a return after ${meanMinutes} minutes, ${100 * neverShare} % never, ${kind}: one request pays above the break-even alone`
    const detail = `${chance.toFixed(3)} of ${breakEven[kind].toFixed(3)}: ${one.toFixed(3)} in place of ${without.toFixed(3)}`
    return { name, ok: one < without === chance > breakEven[kind], detail }
  })
}

function atLeast(name: string, value: number, bound: number): Gate {
  return { name, ok: value >= bound, detail: `${value.toFixed(4)}, at least ${bound}` }
}

/** A page with the table; the Chinese page keeps its own heads, and names a frame by its place alone. */
function withTable(page: string, text: string, { begin, table }: { readonly begin: string; readonly table: string }): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from < 0 || to < from) throw new Error(`${page} has lost its marks ${begin} and ${end}`)
  const [heads = ""] = page.includes("zh-CN")
    ? text
        .slice(from + begin.length)
        .trimStart()
        .split("\n")
    : []
  const shown = heads === "" ? table : [heads, ...table.replaceAll("frame at ", "").split("\n").slice(1)].join("\n")
  return `${text.slice(0, from + begin.length)}\n\n${shown}\n\n${text.slice(to)}`
}
