import { newEvent } from "../../src/forgetting/events/event-record.ts"
import { selectEvents } from "../../src/forgetting/events/select-events.ts"
import { createWorkspace } from "../../src/forgetting/forgetting-workspace.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median } from "./measure.ts"

const runs = 25
const sizes = [1_000, 10_000] as const
const dayMs = 86_400_000
const grains = ["moment", "moment", "moment", "day", "week", "month"] as const
const now = { atMs: 1_000 * dayMs, turn: 5_000 }

/** CPU of a turn's selection among events and workspace items; the gate is how often the numbers of a thing are read. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const [small, large] = [countedReads(sizes[0]), countedReads(sizes[1])]
  return {
    title: `A turn's selection among events and workspace items (median of ${runs})`,
    rows: peers ? await rows() : [],
    gates: [
      {
        name: "ten times the events are at most eleven times the reads",
        ok: large <= 11 * small,
        detail: `${small} and ${large} reads for ${sizes.join(" and ")}`,
      },
    ],
  }
}

async function rows(): Promise<Row[]> {
  const made: Row[] = []
  for (const size of sizes) {
    const floor = await medianMs(() => void items(size).map(({ stability }) => 0.9 ** (30 / stability)))
    const [listed, events] = [items(size), eventsOf(size)]
    const selection = await medianMs(() => {
      selectEvents(events, now)
      const workspace = createWorkspace({ items: listed })
      workspace.evict(now)
      workspace.best(now, 30)
    })
    made.push({
      things: `${size.toLocaleString("en")} events, ${size.toLocaleString("en")} items`,
      selection: formatMs(selection),
      "against a bare loop": formatRatio(selection, floor),
    })
  }
  return [...made, { things: "bound, 10,000 and 10,000", selection: "5 ms" }]
}

async function medianMs(task: () => void): Promise<number> {
  for (let warm = 0; warm < 10; warm++) task()
  const times: number[] = []
  for (let at = 0; at < runs; at++) times.push(await cpuMs(async () => task()))
  return median(times)
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
