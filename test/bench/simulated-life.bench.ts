import type { CliContext } from "../../src/apps/cli/context.ts"
import { demoModel } from "../../src/apps/cli/demo/demo-model.ts"
import { live } from "../../src/apps/cli/simulate/live.ts"
import { readScript } from "../../src/apps/cli/simulate/read-script.ts"
import type { BenchResult, Row } from "./bench.ts"
import { callsOf } from "./turn-path.ts"

/** A user who says the same five things for ever, ten lines a day. */
const text = `start 2026-01-05
user "I am Lin." | "My cat is called Miso." | "I moved to Oslo." | "My sister is ill in the hospital." | "I like bread with cheese."
every day at 9:00 chat 10 turns
`
const days = 10
const turns = days * 10

/** Calls of functions for each turn, with the simulation's own accounts and the offline model; a little over what is measured. */
const most: Readonly<Record<string, number>> = { layered: 31_000, root: 86_500 }
/** The turns of the second half may make this share of the calls of the first. */
const mostGrowth = 1.25

/** The work of simulated turns with memory by V8's precise coverage, which a loaded machine counts as an idle one does, and its growth over the days. */
export async function run(): Promise<BenchResult> {
  const rows: Row[] = []
  const gates: BenchResult["gates"][number][] = []
  for (const [profile, bound] of Object.entries(most)) {
    await lived(profile, 2)
    const first = (await callsOf(() => lived(profile, days))) / turns
    const second = (await callsOf(() => lived(profile, 2 * days))) / turns - first
    rows.push({ profile, "calls a turn": Math.round(first), "in the second half": Math.round(second) })
    const detail = `${Math.round(first)}, at most ${bound}`
    gates.push({ name: `${profile}: calls of a simulated turn`, ok: first <= bound, detail })
    const growth = second / first
    gates.push({ name: `${profile}: growth`, ok: growth <= mostGrowth, detail: `${growth.toFixed(2)}, at most ${mostGrowth}` })
  }
  return { title: `A simulated life of ${2 * days} days of ten turns, with memory`, rows, gates }
}

async function lived(profile: string, count: number): Promise<void> {
  const context = { io: { env: {} }, screen: {}, translate: (words: string) => words } as unknown as CliContext
  const chooseModel = () => ({ model: demoModel(), demo: true })
  const script = { ...readScript("life.sim", text), days: count }
  const { failures } = await live(script, { profile, locale: "en", dataDir: "", chooseModel }, context)
  if (failures.length > 0) throw new Error(`${failures.length} turns of ${profile} failed: ${failures[0]?.message}`)
}
