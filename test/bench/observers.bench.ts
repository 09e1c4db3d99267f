import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { Observer } from "../../src/memory/services/observer.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { formatMs, formatRatio, waitsUntil } from "./measure.ts"

const deltas = 200
const warmUp = 20

/** What an observer can do to a turn: nothing, or its worst. */
const kinds: Readonly<Record<string, Observer["observe"] | undefined>> = {
  "no observer": undefined,
  "one that does nothing": () => undefined,
  "one that hangs for ever": () => new Promise(() => undefined),
  "one that throws": () => {
    throw new Error("broken")
  },
  "one that floods its session with notes": async (event, { inject }) => {
    for (let at = 0; at < 10; at++) await inject({ key: `k${at}`, text: event.type }).catch(() => undefined)
  },
}

/** What observers add to the reply, from `send` to its result; the gate is the number of waits on that way. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const turns = peers ? 300 : 20
  const times = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]))
  const waits = new Map<string, number>()
  for (const [kind, observe] of Object.entries(kinds)) waits.set(kind, await waitsOf(observe))
  // In turn, so that a slow moment of the machine is everybody's, from another one and the other way round each time.
  const all = Object.entries(kinds)
  for (let round = 0; round < warmUp + turns; round++) {
    const first = round % all.length
    const rotated = [...all.slice(first), ...all.slice(0, first)]
    for (const [kind, observe] of round % 2 === 0 ? rotated : rotated.toReversed()) {
      const tookMs = await replyMs(observe)
      if (round >= warmUp) times.get(kind)?.push(tookMs)
    }
  }
  const floor = times.get("no observer") ?? []
  const counts = [...waits.values()]
  return {
    title: `A reply of ${deltas} deltas and a tool run beside observers (${turns} turns of each, in turn)`,
    rows: [...times].map(([kind, taken]) => row(kind, taken, floor)),
    gates: [
      {
        name: "a reply waits as often with any observer as with none",
        ok: counts.every((count) => count === counts[0]),
        detail: `${counts.join(", ")} rounds of microtasks`,
      },
    ],
  }
}

function row(what: string, taken: readonly number[], floor: readonly number[]): Row {
  const overMs = quantile(taken, 0.95) - quantile(floor, 0.95)
  return {
    what,
    p50: formatMs(quantile(taken, 0.5)),
    p95: formatMs(quantile(taken, 0.95)),
    "p50 / none": formatRatio(quantile(taken, 0.5), quantile(floor, 0.5)),
    "p95 over none": taken === floor ? "" : formatMs(Math.max(0, overMs)),
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

async function replyMs(observe: Observer["observe"] | undefined): Promise<number> {
  const session = sessionOf(observe)
  const beganMs = performance.now()
  const result = await session.send("？").result
  const tookMs = performance.now() - beganMs
  if (!result.ok) throw result.error
  // What an observer does after the turn is not to slow the next one's.
  await new Promise(setImmediate)
  return tookMs
}

/** Rounds of microtasks until a reply's result: one more for everything that is awaited on the way. */
async function waitsOf(observe: Observer["observe"] | undefined): Promise<number> {
  // The first turn of a process loads the loop.
  await sessionOf(undefined).send("？").result
  return waitsUntil(sessionOf(observe).send("？").result)
}

/** Timers stand still: what hangs, hangs. */
function sessionOf(observe: Observer["observe"] | undefined) {
  const clock = manualClock()
  const profile = resolveProfile({ dialect: "layered", persona: "p" })
  const observers = observe ? [{ name: "main-observer", observe }] : []
  const ports = { clock, timers: manualTimers(clock) }
  const echo = defineTool({ name: "echo", description: "", execute: () => "ok" })
  const agent = createAgent({ profile, model: talking(), tools: [echo], observers, ports, onWarning: () => undefined })
  return agent.session("bench")
}

/** A tool call, then a finish whose message comes in deltas of four characters. */
function talking(): LanguageModel {
  let calls = 0
  return {
    id: "bench",
    capabilities: { developerRole: false, tools: false },
    async *stream(): AsyncGenerator<ModelPart> {
      if (calls++ === 0) yield { type: "text-delta", delta: '{"action":"tool","tool":"echo","args":{}}' }
      else {
        yield { type: "text-delta", delta: '{"action":"finish","message":"' }
        for (let at = 0; at < deltas; at++) yield { type: "text-delta", delta: "word" }
        yield { type: "text-delta", delta: '"}' }
      }
      yield { type: "finish", reason: "stop" }
    },
  }
}
