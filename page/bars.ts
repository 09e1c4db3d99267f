import type { RecordedEvent, TurnRecord } from "../src/apps/server/inspector/turn-record.ts"

/** One bar of the waterfall. */
interface Bar {
  readonly name: string
  readonly kind: string
  readonly fromMs: number
  readonly toMs: number
  readonly note?: string | undefined
}

const ends: Readonly<Record<string, string>> = {
  "prestart-end": "prestart-start",
  "step-end": "step-start",
  "tool-end": "tool-start",
  "confirm-end": "confirm-start",
}

/** The time that a waterfall shows, at least 1 ms: the last events of a turn come after its answer. */
export function courseMs({ durationMs = 0, events }: Pick<TurnRecord, "durationMs" | "events">): number {
  return events.reduce((most, { atMs, endMs }) => Math.max(most, endMs ?? atMs), Math.max(1, durationMs))
}

/** The events of a turn as bars: a start and its end are one bar, a run of text is one, and others are points. */
export function barsOf(events: readonly RecordedEvent[], durationMs: number): Bar[] {
  const bars: (Bar & { toMs: number; note?: string | undefined })[] = []
  const open = new Map<string, (typeof bars)[number]>()
  for (const { type, atMs, endMs, id = "", name, text, characters } of events) {
    const start = ends[type]
    const begun = start === undefined ? undefined : open.get(`${start} ${id}`)
    if (begun) {
      begun.toMs = atMs
      begun.note = text
      continue
    }
    const isStart = Object.values(ends).includes(type)
    const label = name ?? (characters === undefined ? "" : `${characters}`)
    const bar = {
      name: label,
      kind: type.replace(/-(?:start|delta)$/u, ""),
      fromMs: atMs,
      toMs: isStart ? durationMs : (endMs ?? atMs),
      note: text,
    }
    bars.push(bar)
    if (isStart) open.set(`${type} ${id}`, bar)
  }
  return bars
}
