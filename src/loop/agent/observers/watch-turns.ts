import { newEvent } from "../../../memory/forgetting/events/event-record.ts"
import { formatStamp, stampAt } from "../../../memory/forgetting/events/stamp.ts"
import { hostTimeZone, zonedCalendar } from "../../../memory/forgetting/events/zoned-calendar.ts"
import { readState, type VirtualContextChange, virtualContextNote } from "../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import type { Observer } from "../../../memory/services/observer.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import type { ToolRun } from "../../../prompt/tools/tool.ts"
import { garbageOf } from "./garbage.ts"
import { observeByModel } from "./observe-by-model.ts"
import { recordByRule } from "./record-by-rule.ts"
import { type Findings, type ObserverParts, oneLine, type WatchedTurn } from "./watched-turn.ts"

/** Turns whose end was left out would otherwise stay for ever. */
const maxOpenTurns = 100

/**
 * Watches turns for a profile's observer (R26). When a turn has ended it writes events, collects garbage and leaves a note, all as
 * notes for the session's next turn. With the conversation's memory off it does nothing (D2).
 */
export function watchTurns(parts: ObserverParts): Observer["observe"] {
  const runsOf = new Map<string, ToolRun[]>()
  return async (event, context) => {
    const { turnId } = context
    if (event.type === "tool-end") {
      runsOf.set(turnId, [...(runsOf.get(turnId) ?? []), event.run])
      for (const old of [...runsOf.keys()].slice(0, -maxOpenTurns)) runsOf.delete(old)
    }
    if (event.type !== "turn-end") return
    const runs = runsOf.get(turnId) ?? []
    runsOf.delete(turnId)
    const { result } = event
    if (!result.ok || result.stopReason === "joined") return
    const session = await context.session()
    if (!session?.memoryOn || session.turns % parts.settings.everyTurns !== 0) return
    const turn = { context, session, state: readState(session.hookStates[virtualContextName]), result }
    await leaveNotes(parts, turn, { ...(await look(parts, turn)), unreported: isUnreported(turn, runs) })
  }
}

async function look(parts: ObserverParts, turn: WatchedTurn): Promise<Findings> {
  const { writer } = parts.settings
  const found = writer === "model" ? await observeByModel(parts, turn) : undefined
  return found ?? { events: await recordByRule(parts, turn), garbage: await garbageOf(parts, turn), note: "" }
}

/** True if the answer owed a report of use and none was made (R16). */
function isUnreported({ state, result }: WatchedTurn, runs: readonly ToolRun[]): boolean {
  const { owed = 0, given = 0 } = state.reports ?? {}
  return owed > given && result.text.trim() !== "" && !runs.some(({ tool, status }) => tool === "report_use" && status === "ok")
}

async function leaveNotes(
  { name, settings, dialect, timeZone = hostTimeZone(), ports }: ObserverParts,
  { context, session }: WatchedTurn,
  { events, garbage, note, unreported }: Findings & { readonly unreported: boolean },
): Promise<void> {
  const { turnId } = context
  const now = { atMs: ports.clock.nowMs(), turn: session.turns - 1 }
  const stamp = formatStamp(stampAt("moment", now.atMs, zonedCalendar(timeZone)))
  const records = events.map(({ text, importance }, at) => {
    const when = { grain: "moment", stamp, startMs: now.atMs, endMs: now.atMs } as const
    return newEvent({ id: `${name}:${turnId}:${at + 1}`, ...when, text, importance, sources: [turnId] }, now)
  })
  const collects = (["workspace", "pulled"] as const).filter((area) => settings.collect && garbage[area].length > 0)
  const changes: VirtualContextChange[] = [
    ...(settings.record && records.length > 0 ? [{ type: "events" as const, events: records }] : []),
    ...collects.map((area) => ({ type: "collect" as const, area, ids: garbage[area] })),
  ]
  if (changes.length > 0) await context.post(virtualContextNote(`${name}:${turnId}`, changes))
  if (!settings.inject) return
  const collected = collects.flatMap((area) => garbage[area]).map((id) => encodeInline(id))
  const text = renderNotice(dialect, "observer-note", {
    collected: collected.join(", "),
    unreported: unreported ? "report_use" : "",
    next: oneLine(note),
  })
  if (text.trim() !== "") await context.inject({ key: "note", text: text.slice(0, 4_000) })
}
