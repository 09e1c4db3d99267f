import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMs, isWithin, median, mediansInTurn, ratioGate } from "./measure.ts"

const deltas = 200_000
/** A turn as long as the default limit allows, so many times. */
const steps = 11
const turns = 50
const heardAtOnce = 50
const runs = 5

/** More than is measured, and less than twice as much: a delta of a turn to one of the bare stream, a step with a tool run to a turn of one step. */
const most = { delta: 12, step: 1.8 }

/** CPU that the loop adds to a model's bare stream, a delta and a step, and that of words which are heard. */
export async function run(): Promise<BenchResult> {
  const inDeltas = await mediansInTurn([() => answer(talking(deltas), 1), () => drain(talking(deltas))], {
    warmUps: 1,
    rounds: runs,
    holds: isWithin(most.delta),
  })
  const [turnMs = Number.NaN, bareMs = Number.NaN] = inDeltas
  const long = async () => {
    for (let turn = 0; turn < turns; turn++) await answer(calling(steps), steps + 1)
  }
  const short = async () => {
    for (let turn = 0; turn < turns * (steps + 1); turn++) await answer(calling(0), 1)
  }
  const inSteps = await mediansInTurn([long, short], { warmUps: 1, rounds: runs, holds: isWithin(most.step) })
  const [stepMs = Number.NaN] = inSteps
  const heard = await hearing()
  const [heardMs = Number.NaN, plainMs = Number.NaN] = heard
  const small = await countEvents(talking(1_000))
  const large = await countEvents(talking(10_000))
  return {
    title: `The loop's own CPU (median of ${runs})`,
    rows: [
      {
        what: `a streamed delta, of ${deltas}, over the bare stream`,
        CPU: `${(((turnMs - bareMs) / deltas) * 1000).toFixed(2)} µs`,
      },
      { what: `a step with a tool run, ${turns} turns of ${steps + 1}`, CPU: `${(stepMs / (steps + 1) / turns).toFixed(3)} ms` },
      {
        what: `words that are heard, ${heardAtOnce} at once, beside a plain turn`,
        CPU: `1/${Math.round(plainMs / heardMs)} of the turn`,
      },
    ],
    gates: [
      { name: "one event a delta", ok: large - small === 9_000, detail: `${small} events for 1,000 deltas, ${large} for 10,000` },
      ratioGate("a delta, beside one of the bare stream", inDeltas, most.delta),
      ratioGate("a step with a tool run, beside a turn of one step", inSteps, most.step),
      ratioGate("words that are heard, beside a plain turn", heard, 1 / 20),
    ],
  }
}

/** The CPU of words that a group's session hears, and of its turn. */
async function hearing(): Promise<number[]> {
  const group = createAgent({ profile: resolveProfile({ dialect: "layered", persona: "p" }), model: talking(1) }).session({
    conversation: "bench",
    audience: "group",
  })
  const from = { id: "ann", name: "Ann" }
  const turnMs: number[] = []
  const heardMs: number[] = []
  for (let i = 0; i < turns; i++) {
    turnMs.push(await cpuMs(() => group.send("Who comes?", { from }).result))
    heardMs.push(await cpuMs(() => Promise.all(Array.from({ length: heardAtOnce }, () => group.hear("I do.", { from })))))
  }
  return [median(heardMs) / heardAtOnce, median(turnMs)]
}

async function drain(model: LanguageModel): Promise<void> {
  for await (const _ of model.stream({ messages: [] }, { signal: new AbortController().signal }));
}

async function answer(model: LanguageModel, maxSteps: number): Promise<void> {
  const result = await session(model, maxSteps).send("？").result
  if (!result.ok) throw result.error
}

async function countEvents(model: LanguageModel): Promise<number> {
  let events = 0
  for await (const _ of session(model, 1).send("？")) events++
  return events
}

function session(model: LanguageModel, maxSteps: number) {
  const echo = defineTool({ name: "echo", description: "", repeatable: true, execute: () => "ok" })
  const profile = resolveProfile({
    dialect: "layered",
    persona: "p",
    loop: { maxSteps: Math.min(maxSteps, 1_000) },
    limits: { turnMs: 600_000 },
  })
  return createAgent({ profile, model, tools: [echo] }).session("bench")
}

/** A finish whose message comes in so many deltas of four characters. */
function talking(count: number): LanguageModel {
  return streaming(function* () {
    yield '{"action":"finish","message":"'
    for (let i = 0; i < count; i++) yield "word"
    yield '"}'
  })
}

/** So many tool calls, then a finish. */
function calling(count: number): LanguageModel {
  let calls = 0
  return streaming(function* () {
    yield calls++ < count ? `{"action":"tool","tool":"echo","args":{"n":${calls}}}` : '{"action":"finish","message":"done"}'
  })
}

function streaming(texts: () => Iterable<string>): LanguageModel {
  return {
    id: "bench",
    capabilities: { developerRole: false, tools: false },
    async *stream(): AsyncGenerator<ModelPart> {
      for (const delta of texts()) yield { type: "text-delta", delta }
      yield { type: "finish", reason: "stop" }
    },
  }
}
