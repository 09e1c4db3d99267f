import { newEvent } from "../../src/memory/forgetting/events/event-record.ts"
import { selectEvents } from "../../src/memory/forgetting/events/select-events.ts"
import { createWorkspace } from "../../src/memory/forgetting/forgetting-workspace.ts"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, isWithin, mediansInTurn, ratioGate } from "./measure.ts"

const runs = 25
const sizes = [1_000, 10_000] as const
const dayMs = 86_400_000
const grains = ["moment", "moment", "moment", "day", "week", "month"] as const
const now = { atMs: 1_000 * dayMs, turn: 5_000 }

/** A selection to a loop that computes one forgetting curve a thing: more than is measured, and less than twice as much. */
const most = 9

/** A selection to a plain sort of the same events and items. */
const mostSorts = 3

/** CPU of a turn's selection among events and workspace items, and how often the numbers of a thing are read. */
export async function run(): Promise<BenchResult> {
  const measured = []
  for (const size of sizes) measured.push({ size, ms: await selectionMs(size) })
  const [small, large] = [countedReads(sizes[0]), countedReads(sizes[1])]
  return {
    title: `A turn's selection among events and workspace items (median of ${runs})`,
    rows: measured.map(({ size, ms: [ownMs = Number.NaN, floorMs = Number.NaN, sortMs = Number.NaN] }) => ({
      things: `${size.toLocaleString("en")} events, ${size.toLocaleString("en")} items`,
      selection: formatMs(ownMs),
      "against a bare loop": formatRatio(ownMs, floorMs),
      "against a plain sort": formatRatio(ownMs, sortMs),
    })),
    gates: [
      ...measured.map(({ size, ms }) => ratioGate(`a selection among ${size}, beside a bare loop`, ms, most)),
      ...measured
        .filter(({ size }) => size === sizes[1])
        .map(({ size, ms: [ownMs = Number.NaN, _, sortMs = Number.NaN] }) =>
          ratioGate(`a selection among ${size}, beside a plain sort of the same`, [ownMs, sortMs], mostSorts),
        ),
      {
        name: "ten times the events are at most eleven times the reads",
        ok: large <= 11 * small,
        detail: `${small} and ${large} reads for ${sizes.join(" and ")}`,
      },
    ],
  }
}

/** The median CPU of a selection, of a bare loop over as many things, and of sorting them by two numbers each. */
function selectionMs(size: number): Promise<number[]> {
  const [listed, events] = [items(size), eventsOf(size)]
  const select = () => {
    selectEvents(events, now)
    const workspace = createWorkspace({ items: listed })
    workspace.evict(now)
    workspace.best(now, 30)
  }
  const loop = () => void items(size).map(({ stability }) => 0.9 ** (30 / stability))
  const sort = () => {
    events.toSorted((a, b) => b.importance - a.importance || b.startMs - a.startMs)
    listed.toSorted((a, b) => b.stability - a.stability || b.recalled.atMs - a.recalled.atMs)
  }
  return mediansInTurn([select, loop, sort], { warmUps: 10, rounds: runs, holds: isWithin(most) })
}

function eventsOf(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const startMs = Math.floor((at * 1_000) / count) * dayMs
    const grain = grains[at % grains.length] ?? "moment"
    const event = {
      id: `e${at}`,
      grain,
      stamp: `e${at}`,
      startMs,
      endMs: startMs,
      text: `event ${at}`,
      importance: (at * 7) % 11,
    }
    return newEvent(event, { atMs: startMs, turn: at })
  })
}

function items(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const moment = { atMs: (995 + (at % 5)) * dayMs, turn: at }
    return { id: `f${at}`, kind: "file" as const, text: "x", stability: 1 + (at % 50), added: moment, recalled: moment }
  })
}

function countedReads(count: number): number {
  let reads = 0
  const counting = eventsOf(count).map(
    (event) =>
      new Proxy(event, {
        get(target, name) {
          reads++
          return Reflect.get(target, name)
        },
      }),
  )
  selectEvents(counting, now)
  return reads
}
