import { createDecisionReader } from "../../src/reply/decision-reader.ts"
import type { BenchOptions, BenchResult, Gate, Row } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median } from "./measure.ts"

const runs = 7
const chunkCharacters = 4
const words = '北京今天晴，"气温" -2°C\n适合出门 😀 and a few English words. '

/** Planner output whose message has `characters` characters. */
function plannerOutput(characters: number): string {
  const message = words.repeat(Math.ceil(characters / words.length)).slice(0, characters)
  return JSON.stringify({ action: "finish", message })
}

function* chunksOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += chunkCharacters) yield text.slice(at, at + chunkCharacters)
}

function readWithOurs(chunks: readonly string[]): number {
  const reader = createDecisionReader()
  let shown = 0
  for (const chunk of chunks)
    for (const event of reader.push(chunk)) if (event.type === "message-delta") shown += event.delta.length
  reader.end()
  return shown
}

/** stream-json's tokenizer, told to stream strings and to pack nothing: what a reader of deltas needs. */
async function streamJsonReader(): Promise<(chunks: readonly string[]) => number> {
  const { jsonParser } = await import("stream-json/core/parser.js")
  const { isMany } = await import("stream-chain/core")
  return (chunks) => {
    const parse = jsonParser({ packValues: false })
    let shown = 0
    for (const chunk of chunks) {
      const tokens = parse(chunk)
      if (!isMany(tokens)) continue
      for (const token of tokens.values) if (token.name === "stringChunk") shown += token.value.length
    }
    return shown
  }
}

function steps(text: string): number {
  const count = { steps: 0 }
  const reader = createDecisionReader({ count })
  for (const chunk of chunksOf(text)) reader.push(chunk)
  reader.end()
  return count.steps
}

/** Median CPU of each reader, taken in turns so that a busy moment of the machine falls on all of them. */
async function measure(readers: readonly (() => number)[]): Promise<number[]> {
  const times = readers.map((): number[] => [])
  for (let run = 0; run < runs; run++) {
    for (const [index, read] of readers.entries()) times[index]?.push(await cpuMs(read))
  }
  return times.map(median)
}

/** CPU of reading streamed planner output in 4-character chunks, beside stream-json's core; the gates are work done. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const [small, large] = [plannerOutput(1_000_000), plannerOutput(10_000_000)]
  const growth = steps(large) / steps(small)
  return {
    title: `Streamed planner output in ${chunkCharacters}-character chunks (median of ${runs} runs)`,
    rows: peers ? await rowsBesidePeers([...chunksOf(small)], [...chunksOf(large)]) : [],
    gates: [
      atMost("ten times the output is at most 10.5 times the work", growth, 10.5),
      atMost("a character is looked at at most twice", steps(small) / small.length, 2),
    ],
  }
}

async function rowsBesidePeers(small: readonly string[], large: readonly string[]): Promise<Row[]> {
  const peer = await streamJsonReader()
  const [ours = 0, theirs = 0, oursLarge = 0] = await measure([
    () => readWithOurs(small),
    () => peer(small),
    () => readWithOurs(large),
  ])
  return [
    { reader: "stream-json core", "1M characters": formatMs(theirs), "against stream-json": "1.0×" },
    {
      reader: "createDecisionReader",
      "1M characters": formatMs(ours),
      "against stream-json": formatRatio(ours, theirs),
      "10M characters": formatMs(oursLarge),
      "10M against 1M": formatRatio(oursLarge, ours),
    },
    { reader: "bound", "against stream-json": "2.0×", "10M against 1M": "13.0×" },
  ]
}

function atMost(name: string, value: number, bound: number): Gate {
  return { name, ok: value <= bound, detail: `${value.toFixed(2)}, at most ${bound}` }
}
