import { createDecisionReader } from "../../src/reply/decision-reader.ts"
import { readingWork } from "../../src/reply/incoming-text.ts"
import type { BenchOptions, BenchResult, Gate } from "./bench.ts"
import { formatMs, formatRatio, isWithin, mediansInTurn, ratioGate } from "./measure.ts"

const runs = 5
/** Ten times as much, and room for caches that are too small for it. */
const mostOfGrowth = 15
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
  const before = readingWork.steps
  const reader = createDecisionReader()
  for (const chunk of chunksOf(text)) reader.push(chunk)
  reader.end()
  return readingWork.steps - before
}

/** CPU of reading streamed planner output in 4-character chunks, beside stream-json's core, and the work done. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const [small, large] = [plannerOutput(1_000_000), plannerOutput(10_000_000)]
  const growth = steps(large) / steps(small)
  const [chunks, manyChunks] = [[...chunksOf(small)], [...chunksOf(large)]]
  const peer = peers ? await streamJsonReader() : undefined
  const works = [() => readWithOurs(manyChunks), () => readWithOurs(chunks), ...(peer ? [() => peer(chunks)] : [])]
  const ms = await mediansInTurn(works, { warmUps: 1, rounds: runs, holds: isWithin(mostOfGrowth) })
  const [oursLarge = Number.NaN, ours = Number.NaN, theirs] = ms
  return {
    title: `Streamed planner output in ${chunkCharacters}-character chunks (median of ${runs} runs)`,
    rows: [
      {
        reader: "createDecisionReader",
        "1M characters": formatMs(ours),
        "10M characters": formatMs(oursLarge),
        "10M against 1M": formatRatio(oursLarge, ours),
      },
      ...(theirs
        ? [{ reader: "stream-json core", "1M characters": formatMs(theirs), "ours, against it": formatRatio(ours, theirs) }]
        : []),
    ],
    gates: [
      ratioGate("ten times the output", ms, mostOfGrowth),
      ...(theirs ? [ratioGate("reading, beside stream-json core", [ours, theirs], 2)] : []),
      atMost("ten times the output is at most 10.5 times the work", growth, 10.5),
      atMost("a character is looked at at most twice", steps(small) / small.length, 2),
    ],
  }
}

function atMost(name: string, value: number, bound: number): Gate {
  return { name, ok: value <= bound, detail: `${value.toFixed(2)}, at most ${bound}` }
}
