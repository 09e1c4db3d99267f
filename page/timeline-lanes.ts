import type { ContextChange } from "../src/apps/server/inspector/timeline/context-changes.ts"
import type { RecordedJob } from "../src/apps/server/inspector/timeline/recorded-jobs.ts"
import type { Timeline } from "../src/apps/server/inspector/timeline/timeline-route.ts"
import type { Words } from "./words.ts"

/** A stretch or a point of time in a lane. */
export interface Mark {
  readonly fromMs: number
  readonly toMs: number
  readonly kind: "plain" | "good" | "bad" | "soft"
  readonly title: string
}

/** Marks of one kind, or of one thing, along time. */
export interface Lane {
  readonly name: string
  readonly marks: readonly Mark[]
}

/** One line of what happened. */
export interface Row {
  readonly atMs: number
  readonly kind: string
  readonly what: string
  readonly text: string
  readonly isBad: boolean
}

/** Items of the workspace that have a lane of their own, those that came up last. */
const maxItems = 15

const grains = ["moment", "day", "week", "month", "year"] as const

/** The first and the last moment of which a timeline tells; undefined if it tells nothing. */
export function extentOf({
  turns,
  jobs,
  changes,
  events,
  workspace,
}: Timeline): readonly [fromMs: number, toMs: number] | undefined {
  const moments = [
    ...turns.flatMap(({ atMs, endMs = atMs }) => [atMs, endMs]),
    ...jobs.flatMap(({ startedMs, endedMs = startedMs }) => [startedMs, endedMs]),
    ...changes.map(({ atMs }) => atMs),
    ...events.flatMap(({ startMs, endMs }) => [startMs, endMs]),
    ...workspace.flatMap(({ addedMs, usedMs }) => [addedMs, usedMs]),
  ]
  if (moments.length === 0) return undefined
  return moments.reduce<[number, number]>(([from, to], at) => [Math.min(from, at), Math.max(to, at)], [Infinity, -Infinity])
}

/** The lanes of a timeline that have a mark. What goes on still lasts until `toMs`. */
export function lanesOf(timeline: Timeline, toMs: number, words: Words): readonly Lane[] {
  const { turns, jobs, changes, events } = timeline
  const turnMarks = (isWake: boolean): Mark[] =>
    turns.flatMap(({ atMs, endMs = toMs, wake, question, state }) =>
      (wake !== undefined) === isWake
        ? { fromMs: atMs, toMs: endMs, kind: state === "failed" ? ("bad" as const) : ("plain" as const), title: wake ?? question }
        : [],
    )
  const points = (area: ContextChange["area"]): Mark[] =>
    changes.flatMap((change) =>
      change.area === area
        ? { fromMs: change.atMs, toMs: change.atMs, kind: kindOf(change), title: changeText(change, words) }
        : [],
    )
  const lanes: Lane[] = [
    { name: words.turns, marks: turnMarks(false) },
    { name: words.wakes, marks: turnMarks(true) },
    { name: words.receipts, marks: jobs.map((job) => jobMark(job, toMs, words)) },
    ...grains.map((grain) => ({
      name: words.grains[grain],
      marks: events.flatMap((event): readonly Mark[] =>
        event.grain === grain ? [{ fromMs: event.startMs, toMs: event.endMs, kind: "soft", title: event.text }] : [],
      ),
    })),
    ...itemLanes(timeline, toMs, words),
    { name: words.areas.pulled, marks: points("pulled") },
    { name: words.areas.compressed, marks: points("compressed") },
  ]
  return lanes.filter(({ marks }) => marks.length > 0)
}

/** A lane for each thing in the workspace, and for those that were forgotten: from its coming to its going, and each use. */
function itemLanes({ workspace, changes }: Timeline, toMs: number, words: Words): Lane[] {
  const held = new Map(workspace.map((item) => [item.id, item]))
  const own = Map.groupBy(
    changes.filter(({ area }) => area === "workspace"),
    ({ id }) => id,
  )
  const ids = [...new Set([...own.keys(), ...held.keys()])]
  const lastOf = (id: string): number => Math.max(held.get(id)?.usedMs ?? 0, own.get(id)?.at(-1)?.atMs ?? 0)
  const newest = new Set(ids.toSorted((a, b) => lastOf(b) - lastOf(a)).slice(0, maxItems))
  const shown = ids.filter((id) => newest.has(id))
  return shown.map((id) => {
    const item = held.get(id)
    const [points, stays]: [Mark[], Mark[]] = [[], []]
    let since: number | undefined
    for (const change of own.get(id) ?? []) {
      if (change.change === "came") since = change.atMs
      if (change.change === "went") {
        stays.push({ fromMs: since ?? change.atMs, toMs: change.atMs, kind: "soft", title: change.text })
        since = undefined
      }
      points.push({ fromMs: change.atMs, toMs: change.atMs, kind: kindOf(change), title: changeText(change, words) })
    }
    if (item) stays.push({ fromMs: since ?? item.addedMs, toMs, kind: "soft", title: item.text })
    return { name: `${words.areas.workspace}: ${id}`, marks: [...stays, ...points] }
  })
}

function kindOf({ change }: ContextChange): Mark["kind"] {
  return change === "went" ? "bad" : change === "came" ? "good" : "plain"
}

function changeText({ id, text, change, by }: ContextChange, words: Words): string {
  return `${words.contextChange[change]} (${words.by[by]}) · ${id} · ${text}`
}

function jobMark(job: RecordedJob, toMs: number, words: Words): Mark {
  const { startedMs, endedMs = toMs, state } = job
  const kind = state === "failed" ? "bad" : state === "running" ? "plain" : "good"
  return { fromMs: startedMs, toMs: endedMs, kind, title: `${job.kind} · ${words.jobs[state]} ${job.message ?? ""}` }
}

/** What happened, the newest first. */
export function rowsOf(timeline: Timeline, words: Words): readonly Row[] {
  const { turns, jobs, changes, events } = timeline
  const came = new Set(changes.flatMap(({ area, change, id }) => (area === "events" && change === "came" ? id : [])))
  const questionOf = new Map(turns.map(({ id, wake, question }) => [id, wake ?? question]))
  const rows: Row[] = [
    ...turns.map(({ atMs, wake, question, state }) => ({
      ...{ atMs, kind: wake === undefined ? words.turn : words.wake, what: words[state], text: wake ?? question },
      isBad: state === "failed",
    })),
    ...jobs.map(({ startedMs, kind, state, attempt, turn, message, scheduledMs }) => {
      const question = questionOf.get(turn)
      const reason =
        scheduledMs !== undefined
          ? words.scheduledFor(new Date(scheduledMs).toLocaleString())
          : question === undefined
            ? ""
            : words.afterTurn(question.slice(0, 80).toWellFormed())
      return {
        ...{
          atMs: startedMs,
          kind: words.receipts,
          what: `${words.jobs[state]}${attempt > 1 ? ` (${words.attempt} ${attempt})` : ""}`,
        },
        text: [kind, reason, message].filter(Boolean).join(" · "),
        isBad: state === "failed",
      }
    }),
    ...changes.map((change) => {
      const { atMs, area, id, text, grain } = change
      const what = `${words.contextChange[change.change]} (${words.by[change.by]})`
      const name =
        area === "compressed" ? (questionOf.get(id)?.slice(0, 80).toWellFormed() ?? id) : grain ? words.grains[grain] : id
      return { atMs, kind: words.areas[area], what, text: `${name} · ${text}`, isBad: false }
    }),
    ...events.flatMap(({ id, endMs, grain, text }) =>
      came.has(id) ? [] : { atMs: endMs, kind: words.areas.events, what: words.grains[grain], text, isBad: false },
    ),
  ]
  return rows.sort((a, b) => b.atMs - a.atMs)
}
