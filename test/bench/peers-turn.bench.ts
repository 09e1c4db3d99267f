import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { BenchOptions, BenchResult, Gate } from "./bench.ts"
import { collect, formatMs, formatRatio, isWithin, median, mediansInTurn, ratioGate } from "./measure.ts"
import { loadLoopers } from "./peers/load-loopers.ts"
import { deltas, type Looper } from "./peers/turns/looper.ts"
import { ours } from "./peers/turns/ours.ts"

/** So many that what is measured is compiled: a turn of ours before is up to three times as long. */
const warmUps = 60
const rounds = 15
/** So many turns are one measurement, because a single one is too short for a clock of CPU time. */
const turns = 10

/** A turn's CPU to that of the AI SDK, which CI has, and the most that it may be: more than is measured, and less than twice as much. */
const sizes = [
  { tools: 1, most: 0.5 },
  { tools: 200, most: 0.08 },
]

/** Once everything is compiled. */
const warm = { turns: 100, rounds: 5 }
/** By the number of tools, the turns before, and the most of the CPU of the best peer, which is less than twice what is measured (0.38 and 0.33). */
const warmSizes = { 1: { warmUps: 3_000, most: 0.7 }, 200: { warmUps: 1_000, most: 0.6 } } as const

/**
 * The bytes of a turn that young collections may keep until the next full one: twice what is measured, and less than they
 * kept of the turn behind a getter and in a weak map.
 */
const mostKept = 30_000
const keptTurns = 40

/** Beside other libraries: a turn with one call of a tool and an answer in fifty deltas. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  // Before the peers, whose own leavings would be counted too.
  const turn = ours("").makeTurn(1)
  // The least of some: what other benchmarks left in this process is let go of meanwhile, and would count too.
  const kept = Math.min(await keptBytes(turn), await keptBytes(turn), await keptBytes(turn))
  const { loopers, skipped } = await loadLoopers({ peers })
  const rows = new Map(loopers.map(({ name, version }) => [`${name} ${version}`, {} as Record<string, string>]))
  const gates: Gate[] = []
  for (const { tools, most } of sizes) {
    const ms = await measured(loopers, tools, most)
    const [own = Number.NaN, streamText = Number.NaN] = ms
    for (const [at, row] of [...rows.values()].entries()) {
      row[`tools: ${tools}`] = formatMs((ms[at] ?? Number.NaN) / turns)
      row[`beside ours, ${tools}`] = formatRatio(ms[at] ?? Number.NaN, own)
    }
    gates.push(ratioGate(`a turn, beside streamText, tools: ${tools}`, [own, streamText], most))
  }
  // Hundreds of tools only of the best with one, because the others would take minutes.
  let measuredWarm = loopers
  for (const tools of [1, 200] as const) {
    const ms = await warmMs(measuredWarm, { peers, tools })
    const [own = Number.NaN, ...others] = ms
    const best = Math.min(...others)
    for (const [at, row] of [...rows.values()].entries()) {
      const taken = ms[measuredWarm.indexOf(loopers[at] as Looper)]
      row[`tools: ${tools}, warm`] = taken === undefined ? "" : formatMs(taken / warm.turns)
      row[`beside ours, ${tools}, warm`] = taken === undefined ? "" : formatRatio(taken, own)
    }
    gates.push(ratioGate(`a warm turn, tools: ${tools}, beside the best of the others`, [own, best], warmSizes[tools].most))
    measuredWarm = measuredWarm.filter((_, at) => at === 0 || ms[at] === best)
  }
  gates.push({
    name: `of a turn that is over, young collections keep at most ${mostKept} bytes`,
    ok: kept <= mostKept,
    detail: `${kept.toFixed(0)}`,
  })
  return {
    title: `A turn: one call of a tool, then ${deltas.length} deltas (median of ${rounds} times ${turns})`,
    rows: [...rows].map(([who, row]) => ({ who, ...row })),
    gates,
    notes: [
      "Each turn is a new conversation over a scripted model; the answer is read as streamed text.",
      `Warm is a turn in a process of its own that has run ${Object.values(warmSizes)
        .map(({ warmUps: turnsBefore }) => turnsBefore.toLocaleString("en"))
        .join(" (1 tool) or ")} (200) before; the others have run ${warmUps * turns} in one process.`,
      ...skipped,
    ],
  }
}

function measured(loopers: readonly Looper[], tools: number, most: number): Promise<number[]> {
  const works = loopers.map(({ name, makeTurn }) => {
    const turn = makeTurn(tools)
    return async () => {
      for (let i = 0; i < turns; i++) {
        const answer = await turn(`How do I come to house ${questions++}?`)
        if (answer !== deltas.join("")) throw new Error(`${name} answered ${JSON.stringify(answer.slice(0, 80))}`)
      }
    }
  })
  return mediansInTurn(works, { warmUps, rounds, holds: isWithin(most) })
}

/** The median CPU of warm turns, each looper's in a process of its own. They are measured in turn, again where the bound is missed. */
async function warmMs(
  loopers: readonly Looper[],
  { peers, tools }: { readonly peers: boolean; readonly tools: keyof typeof warmSizes },
): Promise<number[]> {
  const script = fileURLToPath(new URL("./warm-turn.ts", import.meta.url))
  const { warmUps, most } = warmSizes[tools]
  const given = [peers ? "peers" : "", `${tools}`, `${warmUps}`, `${warm.turns}`]
  const processes: ChildProcess[] = []
  for (const { name } of loopers) {
    const child = fork(script, [name, ...given])
    processes.push(child)
    await toldBy(child)
  }
  let ms: number[] = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const all = processes.map((): number[] => [])
    for (let round = 0; round < warm.rounds; round++)
      for (const [at, child] of processes.entries()) {
        const told = toldBy(child)
        child.send("go on")
        all[at]?.push(await told)
      }
    ms = all.map(median)
    const [own = Number.NaN, ...others] = ms
    if (own <= most * Math.min(...others)) break
  }
  for (const child of processes) child.disconnect()
  return ms
}

/** The next number that a process tells. Rejects if it ends before. */
function toldBy(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`A process of warm turns ended with ${code}.`))
    child.once("exit", onExit)
    child.once("message", (ms) => {
      child.off("exit", onExit)
      resolve(ms as number)
    })
  })
}

/** No two turns have the same words, so that nobody finds a whole request again. */
let questions = 0

/** Bytes of a turn that is over which only a full collection frees. Each young one before copies them. */
async function keptBytes(turn: (question: string) => Promise<string>): Promise<number> {
  const used = (type: "minor" | "major") => {
    for (let times = 0; times < 2; times++) collect({ type })
    return process.memoryUsage().heapUsed
  }
  for (let i = 0; i < 10 * keptTurns; i++) await turn(`To house ${questions++}?`)
  used("major")
  for (let i = 0; i < keptTurns; i++) await turn(`And to house ${questions++}?`)
  return (used("minor") - used("major")) / keptTurns
}
