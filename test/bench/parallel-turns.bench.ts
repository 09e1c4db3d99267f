import { monitorEventLoopDelay } from "node:perf_hooks"
import { createAgent } from "../../src/agent/agent.ts"
import type { LanguageModel } from "../../src/model/language-model.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"

const atOnce = 1_000
const rounds = 7
const warmUps = 2
/** Turns that begin in a round of the event loop, at most 16, leave at least so many rounds to all else. */
const leastRounds = 50
const mostOfAlone = 1.5
/** The CPU of a round of the event loop. All else that waits can be done behind it. */
const mostOfRoundMs = 50

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
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const [alone, together, seen]: [number[], number[], number[]] = [[], [], []]
  for (let round = -warmUps; round < rounds; round++) {
    const aloneMs = await cpuMsAlone(async () => {
      for (let turn = 0; turn < atOnce; turn++) await begin()
    })
    let [isOver, loops] = [false, 0]
    const look = (): void => {
      loops++
      if (!isOver) setImmediate(look)
    }
    look()
    if (round >= 0) delay.enable()
    const togetherMs = await cpuMsAlone(() => Promise.all(Array.from({ length: atOnce }, begin)))
    isOver = true
    delay.disable()
    if (round < 0) continue
    alone.push(aloneMs)
    together.push(togetherMs)
    seen.push(loops)
  }
  const [aloneMs, togetherMs] = [median(alone), median(together)]
  const roundMs = await roundOf(begin)
  const fewest = Math.min(...seen)
  return {
    title: `${atOnce.toLocaleString("en")} turns that begin at the same moment, in memory (median of ${rounds})`,
    rows: [
      { what: "a turn, one after the other, CPU", time: formatMs(aloneMs / atOnce) },
      { what: "a turn, all at once, CPU", time: formatMs(togetherMs / atOnce), ratio: formatRatio(togetherMs, aloneMs) },
      {
        what: "a round of the event loop meanwhile that takes a millisecond or more, CPU, p95",
        time: formatMs(roundMs),
        bound: `${mostOfRoundMs} ms`,
      },
      { what: "delay of the event loop meanwhile, p95", time: formatMs(delay.percentile(95) / 1e6) },
    ],
    notes: ["On a machine that does other work as well, that work is part of the delay."],
    gates: [
      {
        name: `the event loop has at least ${leastRounds} rounds meanwhile`,
        ok: fewest >= leastRounds,
        detail: `${fewest}`,
      },
      {
        name: `a round of the event loop takes at most ${mostOfRoundMs} ms of CPU (p95)`,
        ok: roundMs <= mostOfRoundMs,
        detail: `${roundMs.toFixed(1)} ms`,
      },
      {
        name: `turns at once take at most ${mostOfAlone} of the CPU of turns one after the other`,
        ok: togetherMs <= mostOfAlone * aloneMs,
        detail: (togetherMs / aloneMs).toFixed(2),
      },
    ],
  }
}

/** The 95th percentile of the CPU of rounds of the event loop while turns run, of those that take a millisecond or more: the median of several times. */
async function roundOf(begin: () => Promise<void>): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < rounds; round++) {
    const longMs: number[] = []
    let isOver = false
    let before = process.cpuUsage()
    const look = (): void => {
      const { user, system } = process.cpuUsage(before)
      if (user + system >= 1_000) longMs.push((user + system) / 1_000)
      before = process.cpuUsage()
      if (!isOver) setImmediate(look)
    }
    const turns = Array.from({ length: atOnce }, begin)
    before = process.cpuUsage()
    look()
    await Promise.all(turns)
    isOver = true
    found.push(longMs.toSorted((a, b) => a - b)[Math.floor(longMs.length * 0.95)] ?? 0)
  }
  return median(found)
}

const talking: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: JSON.stringify({ action: "finish", message: "word ".repeat(20) }) }
    yield { type: "finish", reason: "stop" }
  },
}
