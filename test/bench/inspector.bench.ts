import { inspector } from "../../src/apps/server/inspector/inspector.ts"
import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import type { BenchOptions, BenchResult, Gate } from "./bench.ts"
import { cpuMsAlone, formatMs, median, waitsUntil } from "./measure.ts"

const deltas = 200
const profile = await loadProfile("fay", { locale: "en" })
const turnsOfOne = 10
const warmUp = 8

/** The most CPU that a turn may take with an inspector, over that without one. */
const maxRatio = 1.1

/** What an inspector adds to a turn. The gates are the number of waits of a reply and, where time is measured at all, its CPU. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const waits = [await waitsOf(false), await waitsOf(true)] as const
  const gates: Gate[] = [
    {
      name: "a reply waits as often with an inspector as without",
      ok: waits[0] === waits[1],
      detail: `${waits.join(", ")} rounds of microtasks`,
    },
  ]
  const title = `CPU of a plain turn of fay whose answer has ${deltas} deltas, with an inspector`
  if (!peers) return { title, rows: [], gates }
  const rounds = 60
  const [plain, inspected]: [number[], number[]] = [[], []]
  for (let round = 0; round < warmUp + rounds; round++) {
    // In turn, the other way round each time, so that a slow moment of the machine is everybody's.
    for (const isInspected of round % 2 === 0 ? [false, true] : [true, false]) {
      const agents = Array.from({ length: turnsOfOne }, () => sessionOf(isInspected))
      const tookMs = (await cpuMsAlone(() => turns(agents))) / turnsOfOne
      if (round >= warmUp) (isInspected ? inspected : plain).push(tookMs)
    }
  }
  const ratio = median(inspected.map((ms, at) => ms / (plain[at] ?? Number.NaN)))
  gates.push({
    name: `a turn takes at most ${maxRatio} of the CPU with an inspector`,
    ok: ratio <= maxRatio,
    detail: `${ratio.toFixed(3)}, the median of ${rounds} pairs`,
  })
  return {
    title,
    rows: [
      { what: "no inspector", CPU: formatMs(median(plain)), "CPU / none": "1.00" },
      { what: "an inspector", CPU: formatMs(median(inspected)), "CPU / none": ratio.toFixed(2) },
    ],
    gates,
  }
}

async function turns(sessions: readonly ReturnType<typeof sessionOf>[]): Promise<void> {
  for (const session of sessions) {
    const result = await session.send("？").result
    if (!result.ok) throw result.error
  }
}

/** Rounds of microtasks until a reply's result: one more for everything that is awaited on the way. */
async function waitsOf(isInspected: boolean): Promise<number> {
  // The first turn of a process loads the loop.
  await sessionOf(isInspected).send("？").result
  return waitsUntil(sessionOf(isInspected).send("？").result)
}

/** The plain turn that `turn-path` counts: the shipped profile `fay` on the store in memory. */
function sessionOf(isInspected: boolean) {
  const agent = createAgent({
    profile,
    model: talking(),
    store: createInMemoryStore(),
    runJobs: false,
    onWarning: () => undefined,
  })
  if (isInspected) inspector(agent, { onWarning: () => undefined })
  return agent.session("bench")
}

/** An answer that comes in deltas of four characters. */
function talking(): LanguageModel {
  return {
    id: "bench",
    capabilities: { developerRole: false, tools: false },
    async *stream(): AsyncGenerator<ModelPart> {
      yield { type: "text-delta", delta: '{"action":"finish","message":"' }
      for (let at = 0; at < deltas; at++) yield { type: "text-delta", delta: "word" }
      yield { type: "text-delta", delta: '"}' }
      yield { type: "finish", reason: "stop" }
    },
  }
}
