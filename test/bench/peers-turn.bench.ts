import type { BenchOptions, BenchResult, Gate } from "./bench.ts"
import { formatMs, formatRatio, isWithin, mediansInTurn, ratioGate } from "./measure.ts"
import { loadLoopers } from "./peers/load-loopers.ts"
import { deltas, type Looper } from "./peers/turns/looper.ts"

const warmUps = 25
const rounds = 15
/** So many turns are one measurement, because a single one is too short for a clock of CPU time. */
const turns = 10

/** A turn's CPU to that of the AI SDK, which CI has, and the most that it may be: more than is measured, and less than twice as much. */
const sizes = [
  { tools: 1, most: 0.6 },
  { tools: 200, most: 0.14 },
]

/** Beside other libraries: a turn with one call of a tool and an answer in fifty deltas. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const { loopers, skipped } = await loadLoopers({ peers })
  const rows = new Map(loopers.map(({ name, version }) => [`${name} ${version}`, {} as Record<string, string>]))
  const gates: Gate[] = []
  for (const { tools, most } of sizes) {
    const ms = await measured(loopers, tools, most)
    const [ours = Number.NaN, streamText = Number.NaN] = ms
    for (const [at, row] of [...rows.values()].entries()) {
      row[`tools: ${tools}`] = formatMs((ms[at] ?? Number.NaN) / turns)
      row[`beside ours, ${tools}`] = formatRatio(ms[at] ?? Number.NaN, ours)
    }
    gates.push(ratioGate(`a turn, beside streamText, tools: ${tools}`, [ours, streamText], most))
  }
  return {
    title: `A turn: one call of a tool, then ${deltas.length} deltas (median of ${rounds} times ${turns})`,
    rows: [...rows].map(([who, row]) => ({ who, ...row })),
    gates,
    notes: ["Each turn is a new conversation over a scripted model; the answer is read as streamed text.", ...skipped],
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

/** No two turns have the same words, so that nobody finds a whole request again. */
let questions = 0
