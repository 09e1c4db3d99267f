import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"
import { asking, remembers, variants } from "./peers/asked.ts"
import type { Contestant } from "./peers/contestant.ts"
import { loadContestants } from "./peers/load-peers.ts"
import { type Block, blocks, blocksFloor, remembering, withOneChanged } from "./workloads.ts"

const runs = 5
/** So many runs are not counted: what runs for the first time is compiled meanwhile. */
const warmUps = 20
const title = "W1: 1,000 blocks with priorities, a budget of half of them; times the floor's CPU"

/** Beside other libraries: from nothing, the same again, one block changed, five times as many. What must hold of ours is gated elsewhere. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  if (!peers) return { title, rows: [], gates: [] }
  const { contestants, skipped } = await loadContestants()
  const works = makeWorks()
  const able = variants(contestants).flatMap(({ contestant, memo, label }) =>
    contestant.makeBlocks ? [{ make: contestant.makeBlocks, memo, label, kept: remembers(contestant, memo) }] : [],
  )
  const floors: Measured[] = []
  const times = able.map((): Measured[] => [])
  for (let run = -warmUps; run < runs; run++) {
    const one = await measure(floor, { works, memo: false, large: run >= 0 })
    if (run >= 0) floors.push(one)
    for (const [at, { make, memo, kept }] of able.entries()) {
      // Without a memo a run takes many seconds, and minutes for 5,000.
      if (!kept && run !== 0) continue
      // With a memo, peers take seconds for 5,000.
      const own = await measure(make, { works, memo, large: kept && (memo ? run === 0 : run >= 0) })
      if (run >= 0) times[at]?.push(own)
    }
  }
  const base = middle(floors)
  const rows = [floorRow(base), ...able.map(({ label }, at) => rowOf(label, middle(times[at] ?? []), base))]
  return { title, rows, gates: [], notes: [...notes, ...skipped] }
}

const notes = [
  `The floor adds up remembered counts and joins. Each begins with a tokenizer that has seen nothing (median of ${runs} after ${warmUps} that are not counted; without a memo: one run). ` +
    "Ours makes its stack anew for each rendering, which takes about as much as the floor of one that is remembered, and finds by their values what stayed. " +
    "`sent / new`: text read by the tokenizer in the first rendering, by the text there is. `tokens`: of the first rendering, counted whole.",
]

interface Works {
  readonly given: readonly Block[]
  readonly changed: readonly Block[]
  readonly many: readonly Block[]
  readonly budget: number
}

interface Measured {
  readonly first: number
  readonly again: number
  readonly changed: number
  readonly large: number
  readonly sent: number
  readonly tokens: number
}

function makeWorks(): Works {
  const given = blocks(1_000)
  const { count } = asking(false)
  const budget = Math.floor(given.reduce((sum, { text }) => sum + count(text), 0) / 2)
  return { given, changed: withOneChanged(given), many: blocks(5_000), budget }
}

const floor: NonNullable<Contestant["makeBlocks"]> = ({ count }) => {
  const known = remembering(count)
  return (given, budgetTokens) => blocksFloor(given, budgetTokens, known)
}

async function measure(
  make: NonNullable<Contestant["makeBlocks"]>,
  { works, memo, large }: { works: Works; memo: boolean; large: boolean },
): Promise<Measured> {
  const { given, changed, many, budget } = works
  const asked = asking(memo)
  const render = make(asked)
  let text = ""
  const first = await cpuMsAlone(async () => {
    text = await render(given, budget)
  })
  const sent = asked.units() / given.reduce((sum, block) => sum + block.text.length, 0)
  const again = await cpuMsAlone(() => render(given, budget))
  const one = await cpuMsAlone(() => render(changed, budget))
  const renderMany = make(asking(memo))
  return {
    first,
    again,
    changed: one,
    sent,
    tokens: asking(false).count(text),
    large: large ? await cpuMsAlone(() => renderMany(many, budget * 5)) : Number.NaN,
  }
}

function middle(measured: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(measured.map((one) => one[name]).filter((value) => !Number.isNaN(value)))
  return {
    first: of("first"),
    again: of("again"),
    changed: of("changed"),
    large: of("large"),
    sent: of("sent"),
    tokens: of("tokens"),
  }
}

function floorRow(base: Measured): Row {
  const times = {
    "first render": formatMs(base.first),
    "same again": formatMs(base.again),
    "one changed": formatMs(base.changed),
  }
  return { ...rowOf("floor", base, base), ...times }
}

function rowOf(who: string, own: Measured, base: Measured): Row {
  return {
    who,
    "first render": formatRatio(own.first, base.first),
    "same again": formatRatio(own.again, base.again),
    "one changed": formatRatio(own.changed, base.changed),
    "5,000 / 1,000": Number.isNaN(own.large) ? "" : formatRatio(own.large, own.first),
    "sent / new": own.sent.toFixed(2),
    tokens: own.tokens,
  }
}
