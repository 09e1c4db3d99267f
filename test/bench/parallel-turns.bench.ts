import { monitorEventLoopDelay } from "node:perf_hooks"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchResult } from "./bench.ts"
import { collect, cpuMs, formatMs, formatRatio, isWithin, median } from "./measure.ts"

const atOnce = 1_000
const rounds = 7
const warmUps = 2
/** How often what seems to miss its bound is measured before it does. */
const tries = 3
/** Turns that begin in a round of the event loop, at most 16, leave at least so many rounds to all else. */
const leastRounds = 50
const mostOfAlone = 1.5
/** The CPU of a round of the event loop, in turns: all else that waits can be done behind it. Most rounds begin 16; collecting what others left adds to some. */
const mostTurnsOfRound = atOnce / 4
const wantedRoundMs = 50

/** Turns that begin at the same moment, of a model that answers at once: the process must go on with other work in between. */
export async function run(): Promise<BenchResult> {
  const profile = resolveProfile({
    dialect: "layered",
    locale: "en",
    persona: "You are Mira.",
    memory: { enabled: false },
    agent: { id: "bench" },
  })
  const agent = createAgent({ profile, model: talking })
  let conversations = 0
  const begin = async (): Promise<void> => {
    const result = await agent.session(`of ${conversations++}`).send("Go on.").result
    if (!result.ok) throw result.error
  }
  const oneByOne = async (): Promise<void> => {
    for (let turn = 0; turn < atOnce; turn++) await begin()
  }
  const atOneTime = () => Promise.all(Array.from({ length: atOnce }, begin))
  // Before anything looks at the event loop: that takes CPU, too, as long as the turns run.
  const [togetherMs = Number.NaN, aloneMs = Number.NaN] = await beside([atOneTime, oneByOne])
  const { roundMs, delayMs, fewest } = await lookedAt(atOneTime)
  return {
    title: `${atOnce.toLocaleString("en")} turns that begin at the same moment, in memory (median of ${rounds})`,
    rows: [
      { what: "a turn, one after the other, CPU", time: formatMs(aloneMs / atOnce) },
      { what: "a turn, all at once, CPU", time: formatMs(togetherMs / atOnce), ratio: formatRatio(togetherMs, aloneMs) },
      {
        what: "a round of the event loop meanwhile that takes a millisecond or more, CPU, p95",
        time: formatMs(roundMs),
        ratio: `${(roundMs / (aloneMs / atOnce)).toFixed(0)} turns`,
        bound: `${wantedRoundMs} ms wanted`,
      },
      { what: "delay of the event loop meanwhile, p95", time: formatMs(delayMs) },
    ],
    notes: ["On a machine that does other work as well, that work is part of the delay."],
    gates: [
      {
        name: `the event loop has at least ${leastRounds} rounds meanwhile`,
        ok: fewest >= leastRounds,
        detail: `${fewest}`,
      },
      {
        name: `a round of the event loop takes at most the CPU of ${mostTurnsOfRound} turns (p95)`,
        ok: roundMs <= (mostTurnsOfRound * aloneMs) / atOnce,
        detail: `${roundMs.toFixed(1)} ms, ${(roundMs / (aloneMs / atOnce)).toFixed(0)} turns`,
      },
      {
        name: `turns at once take at most ${mostOfAlone} of the CPU of turns one after the other`,
        ok: isWithin(mostOfAlone)([togetherMs, aloneMs]),
        detail: (togetherMs / aloneMs).toFixed(2),
      },
    ],
  }
}

/**
 * The median CPU of each way, measured in turn, the other way round each time, and again where the bound is missed. Conversations stay in
 * the store, so that now and then the old ones are marked: all that is left is collected before each, else chance charges one of the two.
 */
async function beside(ways: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  let ms: number[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    const all = ways.map((): number[] => [])
    for (let round = -warmUps; round < rounds; round++)
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
        collect({ type: "major" })
        const tookMs = await cpuMs(() => ways[at]?.())
        if (round >= 0) all[at]?.push(tookMs)
      }
    ms = all.map(median)
    if (isWithin(mostOfAlone)(ms)) break
  }
  return ms
}

/** How the event loop went on while turns ran, of several times. */
interface Looked {
  /** The median of the 95th percentiles of a round's CPU, of the rounds that take a millisecond or more. */
  readonly roundMs: number
  /** The 95th percentile of the loop's delay. */
  readonly delayMs: number
  /** The fewest rounds. */
  readonly fewest: number
}

async function lookedAt(turns: () => Promise<unknown>): Promise<Looked> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const [slowest, seen]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const longMs: number[] = []
    let [isOver, loops] = [false, 0]
    let before = process.cpuUsage()
    const look = (): void => {
      const { user, system } = process.cpuUsage(before)
      if (user + system >= 1_000) longMs.push((user + system) / 1_000)
      before = process.cpuUsage()
      loops++
      if (!isOver) setImmediate(look)
    }
    delay.enable()
    const ended = turns()
    before = process.cpuUsage()
    look()
    await ended
    isOver = true
    delay.disable()
    slowest.push(longMs.toSorted((a, b) => a - b)[Math.floor(longMs.length * 0.95)] ?? 0)
    seen.push(loops)
  }
  return { roundMs: median(slowest), delayMs: delay.percentile(95) / 1e6, fewest: Math.min(...seen) }
}

const talking: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: JSON.stringify({ action: "finish", message: "word ".repeat(20) }) }
    yield { type: "finish", reason: "stop" }
  },
}
