import { contextOf } from "../../../../loop/agent/published-agents.ts"
import type { EventRecord } from "../../../../memory/forgetting/events/event-record.ts"
import type { WorkspaceItem } from "../../../../memory/forgetting/forgetting-workspace.ts"
import { readState } from "../../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../../memory/forgetting/plugin/virtual-context-name.ts"
import { isSameSession } from "../recorder.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route, recordOfCall } from "../route.ts"
import type { TurnOutcome } from "../turn-record.ts"
import { allTurns } from "../turn-routes.ts"
import { type ContextChange, cut } from "./context-changes.ts"
import type { RecordedJob } from "./recorded-jobs.ts"

/** A conversation along time. All moments are milliseconds since 1970. Every list has the newest of its kind, oldest first. */
export interface Timeline {
  readonly nowMs: number
  readonly turns: readonly TimelineTurn[]
  /** Background jobs that ran in this process. */
  readonly jobs: readonly RecordedJob[]
  /** The changes of the virtual context, of turns in memory. */
  readonly changes: readonly (ContextChange & { readonly turn: string; readonly atMs: number })[]
  /** The events and the workspace as they stand in the store now. */
  readonly events: readonly Pick<EventRecord, "id" | "grain" | "startMs" | "endMs" | "text">[]
  readonly workspace: readonly (Pick<WorkspaceItem, "id" | "text" | "stability"> & {
    readonly addedMs: number
    readonly usedMs: number
  })[]
  /** Older entries of any kind that are not here. */
  readonly left: number
}

/** A turn in a timeline. */
export interface TimelineTurn {
  readonly id: string
  readonly atMs: number
  readonly endMs?: number | undefined
  /** The reason of a turn in which nobody spoke. */
  readonly wake?: string | undefined
  readonly question: string
  readonly state: TurnOutcome["state"]
}

const most = { turns: 500, jobs: 200, changes: 1_000, events: 500, workspace: 200 } as const

/** The course of a turn's conversation: turns, wakes, jobs, and what its virtual context took in, changed and forgot. */
export const timelineRoute: Route = { method: "GET", path: /^api\/turns\/([\w.-]+)\/timeline$/u, answer: timeline }

async function timeline(state: InspectorState, call: Call): Promise<Response> {
  const { session } = await recordOfCall(state, call)
  const { recorder } = state
  const { store, ports } = await contextOf(state.agent)
  const stored = await store.load(session, { last: 0 })
  const hooks = stored?.state.hooks as Readonly<Record<string, unknown>> | undefined
  const { events, workspace } = readState(hooks?.[virtualContextName])
  const turns = (await allTurns(state)).filter((turn) => isSameSession(turn.session, session))
  const own = recorder.turns.filter((turn) => isSameSession(turn.session, session))
  let left = own.reduce((sum, { context }) => sum + (context?.lost ?? 0), 0)
  const newest = <T>(all: readonly T[], count: number): readonly T[] => {
    left += Math.max(0, all.length - count)
    return all.slice(-count)
  }
  const changes = own.flatMap(({ id, startedMs, durationMs = 0, context }) =>
    (context?.changes ?? []).map((change) => {
      return { ...change, turn: id, atMs: startedMs + (change.by === "model" ? durationMs : 0) }
    }),
  )
  const items = [...workspace].sort((a, b) => a.recalled.atMs - b.recalled.atMs)
  const shown: Omit<Timeline, "left"> = {
    nowMs: ports.clock.nowMs(),
    turns: newest(turns, most.turns).map(({ id, startedMs, durationMs, wake, question, outcome }) => {
      const endMs = durationMs === undefined ? undefined : startedMs + durationMs
      return { id, atMs: startedMs, endMs, wake: wake && cut(wake), question: cut(question), state: outcome.state }
    }),
    jobs: newest(recorder.jobsOf(session), most.jobs),
    changes: newest(changes, most.changes),
    events: newest(
      [...events].sort((a, b) => a.endMs - b.endMs),
      most.events,
    ).map(({ id, grain, startMs, endMs, text }) => ({ id, grain, startMs, endMs, text: cut(text) })),
    workspace: newest(items, most.workspace).map(({ id, text, stability, added, recalled }) => {
      return { id: cut(id), text: cut(text), stability, addedMs: added.atMs, usedMs: recalled.atMs }
    }),
  }
  return jsonWithoutSecrets(state, { ...shown, left } satisfies Timeline)
}
