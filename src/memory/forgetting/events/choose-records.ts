import { countWhile } from "../../services/recall/documents/binary-search.ts"
import { textWidth } from "../text-width.ts"
import type { EventRecord } from "./event-record.ts"
import { type Grain, grains } from "./stamp.ts"

/** How much is shown of what happened. */
export interface RecordLimits {
  /** The most records of each grain, the newest. */
  readonly keep: Readonly<Record<Grain, number>>
  /** The newest records give way to finer ones as long as all texts together are not wider. */
  readonly shownCharacters: number
}

/** Records by grain and by id. `parts` are events that belong to a topic, which stands for them. */
export interface KnownRecords {
  readonly byId: ReadonlyMap<string, EventRecord>
  /** In order of time, without parts. */
  readonly byGrain: ReadonlyMap<Grain, readonly EventRecord[]>
  readonly topicOfPart: ReadonlyMap<string, EventRecord>
}

/** Sorts events for choosing among them. The work grows with their number. */
export function knownRecords(events: readonly EventRecord[]): KnownRecords {
  const inOrder = events.toSorted((a, b) => a.startMs - b.startMs)
  const byId = new Map(inOrder.map((event) => [event.id, event]))
  const topicOfPart = new Map<string, EventRecord>()
  for (const event of inOrder) if (event.grain === "moment") for (const id of event.children) topicOfPart.set(id, event)
  const wholes = topicOfPart.size === 0 ? inOrder : inOrder.filter(({ id }) => !topicOfPart.has(id))
  return { byId, byGrain: Map.groupBy(wholes, ({ grain }) => grain), topicOfPart }
}

/**
 * Chooses the records that show each stretch of time once, at the coarsest grain that there is (R20). Then the newest ones give way to
 * finer records while there is room, so that yesterday is not lost in a month. In order of time.
 */
export function chooseRecords(known: KnownRecords, { keep, shownCharacters }: RecordLimits): readonly EventRecord[] {
  let chosen = fill([], known, { keep, of: grains, fromMs: -Infinity, untilMs: Infinity })
  for (;;) {
    const newest = chosen.findLast(({ grain }) => grain !== "moment")
    if (newest === undefined) return chosen
    const others = chosen.filter((record) => record !== newest)
    const finer = grains.slice(grains.indexOf(newest.grain) + 1)
    const opened = fill(others, known, { keep, of: finer, fromMs: newest.startMs, untilMs: endOf(newest) })
    const isTold = newest.children.map((id) => {
      const child = known.byId.get(id)
      return child !== undefined && (opened.includes(child) || recordOver(opened, child) !== undefined)
    })
    if (isTold.length === 0 || isTold.includes(false) || widthOf(opened) > shownCharacters) return chosen
    chosen = opened
  }
}

/** The record in whose time an event begins. `chosen` are records that do not overlap, in order of time. */
export function recordOver(chosen: readonly EventRecord[], { startMs }: Pick<EventRecord, "startMs">): EventRecord | undefined {
  for (let at = countBefore(chosen, startMs + 1) - 1; at >= 0; at--) {
    const record = chosen[at]
    if (record !== undefined && record.grain !== "moment") return endOf(record) > startMs ? record : undefined
  }
  return undefined
}

interface FillOptions {
  readonly keep: RecordLimits["keep"]
  readonly of: readonly Grain[]
  readonly fromMs: number
  readonly untilMs: number
}

/** Adds records of a time that overlap no others, from the coarsest grain on, of each the newest. */
function fill(
  others: readonly EventRecord[],
  { byGrain }: KnownRecords,
  { keep, of, fromMs, untilMs }: FillOptions,
): readonly EventRecord[] {
  let chosen = others
  for (const grain of of) {
    const records = byGrain.get(grain) ?? []
    const added: EventRecord[] = []
    let left = keep[grain] - chosen.filter((record) => record.grain === grain).length
    for (let at = countBefore(records, untilMs) - 1; left > 0 && at >= 0; at--) {
      const record = records[at]
      if (record === undefined || record.startMs < fromMs) break
      const before = added.at(-1)
      const isFree =
        grain === "moment" || ((before === undefined || endOf(record) <= before.startMs) && !overlaps(chosen, record))
      if (!isFree || endOf(record) > untilMs || recordOver(chosen, record) !== undefined) continue
      added.push(record)
      left--
    }
    chosen = [...chosen, ...added].sort((a, b) => a.startMs - b.startMs)
  }
  return chosen
}

function overlaps(chosen: readonly EventRecord[], record: EventRecord): boolean {
  const last = chosen.slice(0, countBefore(chosen, endOf(record))).findLast(({ grain }) => grain !== "moment")
  return last !== undefined && endOf(last) > record.startMs
}

/** A period lasts at least a moment. */
function endOf({ startMs, endMs }: EventRecord): number {
  return Math.max(endMs, startMs + 1)
}

/** The number of records, sorted by their begin, that begin before a time. */
function countBefore(records: readonly EventRecord[], ms: number): number {
  return countWhile(records.length, (at) => (records[at]?.startMs ?? 0) < ms)
}

function widthOf(records: readonly EventRecord[]): number {
  return records.reduce((sum, { text }) => sum + textWidth(text), 0)
}
