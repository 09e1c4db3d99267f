import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { aiSdkModel } from "../../src/adapters/models/ai-sdk/index.ts"
import type { BenchOptions, BenchResult } from "./bench.ts"
import { isWithin, mediansInTurn, ratioGate } from "./measure.ts"

const deltas = 100_000
const runs = 7
/** A delta that passes the adapter, to one of a bare `doStream`: more than is measured, and less than twice as much. */
const most = 6

/** CPU that the adapter adds to a provider's bare `doStream`, a delta, beside what `streamText` adds. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const small = await countParts(1_000)
  const large = await countParts(10_000)
  const { streamText } = await import("ai")
  const readers: readonly (readonly [string, () => Promise<void>])[] = [
    ["aiSdkModel", drainOurs],
    ["bare doStream", drainBare],
    ...(peers
      ? [["streamText", () => drain(streamText({ model: talking(deltas).model, prompt: "?" }).textStream)] as const]
      : []),
  ]
  const works = readers.map(([, read]) => read)
  const ms = await mediansInTurn(works, { warmUps: 1, rounds: runs, holds: isWithin(most) })
  const [, bareMs = Number.NaN] = ms
  const perDelta = (each: number) => `${((each / deltas) * 1000).toFixed(2)} µs`
  return {
    title: `aiSdkModel over a provider's bare doStream, ${deltas} deltas (median of ${runs})`,
    rows: readers.map(([what], at) => {
      const each = ms[at] ?? Number.NaN
      return { what, "a delta": perDelta(each), "over bare": what === "bare doStream" ? "" : perDelta(each - bareMs) }
    }),
    gates: [
      ratioGate("a delta through aiSdkModel, beside a bare doStream", ms, most),
      {
        name: "one part a delta",
        ok: large.parts - small.parts === 9_000,
        detail: `${small.parts} parts for 1,000, ${large.parts} for 10,000`,
      },
      {
        name: "the provider is asked once a delta",
        ok: large.pulls - small.pulls === 9_000,
        detail: `${small.pulls} pulls for 1,000, ${large.pulls} for 10,000`,
      },
    ],
  }
}

async function drainBare(): Promise<void> {
  const { stream } = await talking(deltas).model.doStream({ prompt: [] })
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}

function drainOurs(): Promise<void> {
  return drain(aiSdkModel(talking(deltas).model).stream({ messages: [] }, { signal: new AbortController().signal }))
}

async function drain(sequence: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of sequence);
}

async function countParts(count: number): Promise<{ parts: number; pulls: number }> {
  const talker = talking(count)
  let parts = 0
  for await (const _ of aiSdkModel(talker.model).stream({ messages: [] }, { signal: new AbortController().signal })) parts++
  return { parts, pulls: talker.pulls() }
}

/** A model that says so many deltas of four characters, as fast as it is asked. */
function talking(count: number): { model: LanguageModelV4; pulls: () => number } {
  let pulls = 0
  const doStream = async () => ({
    stream: new ReadableStream<LanguageModelV4StreamPart>({
      pull(controller) {
        pulls++
        if (pulls === 1) controller.enqueue({ type: "text-start", id: "t" })
        else if (pulls <= count + 1) controller.enqueue({ type: "text-delta", id: "t", delta: "word" })
        else {
          controller.enqueue({ type: "text-end", id: "t" })
          controller.enqueue({ type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } })
          controller.close()
        }
      },
    }),
  })
  const doGenerate = () => Promise.reject(new Error("only streams"))
  return {
    model: { specificationVersion: "v4", provider: "bench", modelId: "bench", supportedUrls: {}, doGenerate, doStream },
    pulls: () => pulls,
  }
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
