import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { get_encoding, type Tiktoken } from "tiktoken"
import { createEncoder, type Encoder } from "../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { createRankTable, type RankTable, readRanks, type Tokens } from "../../src/adapters/tokenizers/tiktoken/rank-table.ts"
import { encodingSources, type TiktokenEncoding } from "../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import type { BenchOptions, BenchResult, Gate, Row } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, isWithin, median, mediansInTurn, ratioGate } from "./measure.ts"

const runs = 15
const root = fileURLToPath(new URL("../../", import.meta.url))
const require = createRequire(import.meta.url)
const units = ["a", " ", "你", "😀", "A你"]
const encodings: readonly TiktokenEncoding[] = ["cl100k_base", "o200k_base"]

/** CPU of counting prose and unbroken runs beside tiktoken's own `encode_ordinary`; the gates are work done and equal counts. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  return {
    title: `Counting o200k_base (median of ${runs} runs)`,
    rows: peers ? await measuredRows() : [],
    gates: [...(await proseGates()), ...encodings.flatMap(gatesOf)],
  }
}

/** A first count of prose beside tiktoken's: more than is measured, and less than twice as much. */
const mostOfProse: Readonly<Record<string, number>> = { English: 0.5, Chinese: 1.25, TypeScript: 0.4 }

async function proseGates(): Promise<Gate[]> {
  const tiktoken = get_encoding("o200k_base")
  const table = createRankTable(tokensOf("o200k_base"))
  const gates: Gate[] = []
  for (const [name, text] of Object.entries(prose())) {
    const most = mostOfProse[name] ?? 1
    const works = [() => newEncoder(table).count(text), () => tiktoken.encode_ordinary(text)]
    const ms = await mediansInTurn(works, { warmUps: 2, rounds: 7, holds: isWithin(most) })
    gates.push(ratioGate(`counting ${name} for the first time, beside tiktoken`, ms, most))
  }
  tiktoken.free()
  return gates
}

function gatesOf(encoding: TiktokenEncoding): Gate[] {
  const work = { steps: 0 }
  const table = createRankTable(tokensOf(encoding))
  // An encoder remembers runs, so each run gets its own.
  const fresh = () => createEncoder({ table, split: encodingSources[encoding].split, work })
  const encoder = fresh()
  const tiktoken = get_encoding(encoding)
  const steps = (unit: string, characters: number): number => {
    const before = work.steps
    fresh().count(runOf(unit, characters))
    return work.steps - before
  }
  const growth = Math.max(...units.map((unit) => steps(unit, 100_000) / steps(unit, 50_000)))
  const perCharacter = Math.max(...units.map((unit) => steps(unit, 100_000) / 100_000))
  const texts = [...Object.values(prose()), ...units.map((unit) => runOf(unit, 2_000))]
  const different = texts.filter((text) => encoder.count(text) !== tiktoken.encode_ordinary(text).length)
  tiktoken.free()
  return [
    atMost(`${encoding}: 100,000 characters of a run are at most 2.3 times the work of 50,000`, growth, 2.3),
    atMost(`${encoding}: a character of a run is at most 100 steps`, perCharacter, 100),
    atMost(`${encoding}: every text has tiktoken's count, or so many differ`, different.length, 0),
  ]
}

async function measuredRows(): Promise<Row[]> {
  const tiktoken = get_encoding("o200k_base")
  const table = createRankTable(tokensOf("o200k_base"))
  const rows = [...(await proseRows(tiktoken, table)), ...(await runRows(tiktoken, table))]
  tiktoken.free()
  return rows
}

/** Each text once with an encoder that has seen nothing, and once again. */
async function proseRows(tiktoken: Tiktoken, table: RankTable): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, text] of Object.entries(prose())) {
    const times = { theirs: [] as number[], cold: [] as number[], warm: [] as number[] }
    for (let i = 0; i < runs; i++) {
      const encoder = newEncoder(table)
      times.theirs.push(await cpuMs(() => tiktoken.encode_ordinary(text)))
      times.cold.push(await cpuMs(() => encoder.count(text)))
      times.warm.push(await cpuMs(() => encoder.count(text)))
    }
    const what = `${(text.length / 1000).toFixed(0)}k characters of ${name}`
    rows.push(compare(what, median(times.theirs), median(times.cold)))
    rows.push(compare(`${what}, again`, median(times.theirs), median(times.warm)))
  }
  return rows
}

/** tiktoken up to 10,000 characters, which shows how it grows; ours up to 100,000. */
async function runRows(tiktoken: Tiktoken, table: RankTable): Promise<Row[]> {
  const ours = (text: string) => newEncoder(table).count(text)
  const rows: Row[] = []
  for (const unit of units) {
    const time = async (count: (text: string) => unknown, characters: number) => {
      const text = runOf(unit, characters)
      const times: number[] = []
      for (let i = 0; i < runs; i++) times.push(await cpuMs(() => count(text)))
      return median(times)
    }
    const theirs = (text: string) => tiktoken.encode_ordinary(text)
    const [half, whole] = [await time(theirs, 5_000), await time(theirs, 10_000)]
    const [oursShort, oursHalf, oursWhole] = [await time(ours, 10_000), await time(ours, 50_000), await time(ours, 100_000)]
    const name = JSON.stringify(unit)
    rows.push({ ...compare(`10,000 characters of ${name}`, whole, oursShort), "tiktoken, 10k / 5k": formatRatio(whole, half) })
    rows.push({
      what: `100,000 characters of ${name}`,
      ours: formatMs(oursWhole),
      "ours, 100k / 50k": formatRatio(oursWhole, oursHalf),
    })
  }
  return rows
}

function compare(what: string, theirs: number, ours: number): Row {
  return { what, tiktoken: formatMs(theirs), ours: formatMs(ours), "tiktoken / ours": formatRatio(theirs, ours) }
}

/** Texts that the project itself has: its prompts in two languages, its pages and its sources. */
function prose(): Record<string, string> {
  const read = (file: string) => readFileSync(root + file, "utf8")
  const all = (folder: string, includes: string) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.includes(includes) && /\.(md|ts)$/.test(file))
      .sort()
      .map((file) => read(`${folder}/${file}`))
  const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(read)
  return {
    English: [...pages, ...all("prompts", "/en/")].join(""),
    Chinese: all("prompts", "/zh-CN/").join(""),
    TypeScript: all("src", "/").join(""),
  }
}

function newEncoder(table: RankTable): Encoder {
  return createEncoder({ table, split: encodingSources.o200k_base.split })
}

function tokensOf(encoding: TiktokenEncoding): Tokens {
  return readRanks((require(`tiktoken/encoders/${encoding}.json`) as { bpe_ranks: string }).bpe_ranks)
}

function runOf(unit: string, characters: number): string {
  return unit
    .repeat(Math.ceil(characters / unit.length))
    .slice(0, characters)
    .toWellFormed()
}

function atMost(name: string, value: number, bound: number): Gate {
  return { name, ok: value <= bound, detail: `${value.toFixed(2)}, at most ${bound}` }
}
