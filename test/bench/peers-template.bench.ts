import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMs, formatRatio, median } from "./measure.ts"
import { loadContestants } from "./peers/load-peers.ts"
import { templateFloor, templateWork } from "./workloads.ts"

const runs = 7
const repeats = 1_000
const title = "W3: a template of 24 variables, parsed beforehand; times the floor's CPU"

/** Beside other libraries: filling a template in. What must hold of ours is gated elsewhere. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  if (!peers) return { title, rows: [], gates: [] }
  const { contestants, skipped } = await loadContestants()
  const work = templateWork()
  const able = [
    { label: "floor", render: () => templateFloor(work) as string | Promise<string> },
    ...contestants.flatMap(({ name, version, makeTemplate }) =>
      makeTemplate ? [{ label: `${name} ${version}`, render: makeTemplate(work) }] : [],
    ),
  ]
  const wanted = templateFloor(work).trimEnd()
  for (const { label, render } of able) {
    if ((await render()).trimEnd() !== wanted) throw new Error(`${label} fills the template in otherwise than the floor`)
  }
  const times = able.map((): number[] => [])
  // In turns, so that a busy moment of the machine falls on all.
  for (let run = 0; run < runs; run++)
    for (const [at, { render }] of able.entries()) times[at]?.push(await cpuMs(() => fill(render)))
  const [base = Number.NaN, ...others] = times.map(median)
  const perRendering = `${((base / repeats) * 1000).toFixed(2)} µs`
  const rows: Row[] = [
    { who: "floor", "a rendering": perRendering },
    ...others.map((ms, at) => ({ who: able[at + 1]?.label ?? "", "a rendering": formatRatio(ms, base) })),
  ]
  return {
    title,
    rows,
    gates: [],
    notes: [`Joins the values with the literals between them (median of ${runs} times ${repeats}).`, ...skipped],
  }
}

/** Only what answers later is waited for. */
async function fill(render: () => string | Promise<string>): Promise<void> {
  for (let i = 0; i < repeats; i++) {
    const text = render()
    if (typeof text !== "string") await text
  }
}
