import { newEvent } from "../../../memory/forgetting/events/event-record.ts"
import { formatStamp, stampAt } from "../../../memory/forgetting/events/stamp.ts"
import { hostTimeZone, type ZonedCalendar, zonedCalendar } from "../../../memory/forgetting/events/zoned-calendar.ts"
import { readState, type VirtualContextChange, virtualContextNote } from "../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import type { Observer } from "../../../memory/services/observer.ts"
import { shorten } from "../../../memory/services/shorten-by-rule.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import { onOneLine } from "../../../prompt/encode/line-breaks.ts"
import { garbageOf } from "./garbage.ts"
import { observeByModel } from "./observe-by-model.ts"
import type { Findings, ObserverParts, WatchedTurn } from "./watched-turn.ts"

/**
 * Watches turns for a profile's observer (R26). When a turn has ended it writes events, collects garbage and leaves a note, all as
 * notes for the session's next turn. With the conversation's memory off it does nothing (D2).
 */
export function watchTurns(parts: ObserverParts): Observer["observe"] {
  const calendar = zonedCalendar(parts.timeZone ?? hostTimeZone())
  return async (event, context) => {
    if (event.type !== "turn-end") return
    const { result } = event
    if (!result.ok || result.stopReason === "joined") return
    const session = await context.session()
    if (!session?.memoryOn || session.turns % parts.settings.everyTurns !== 0) return
    const turn = { context, session, state: readState(session.hookStates[virtualContextName]), result }
    await leaveNotes({ ...parts, calendar }, turn, await look(parts, turn))
  }
}

async function look(parts: ObserverParts, turn: WatchedTurn): Promise<Findings> {
  const { writer } = parts.settings
  const found = writer === "model" ? await observeByModel(parts, turn) : undefined
  return found ?? { events: await recordByRule(parts, turn), garbage: await garbageOf(parts, turn), note: "" }
}

async function leaveNotes(
  { name, settings, dialect, ports, calendar }: ObserverParts & { readonly calendar: ZonedCalendar },
  { context, session, result }: WatchedTurn,
  { events, garbage, note }: Findings,
): Promise<void> {
  const { turnId } = context
  const now = { atMs: ports.clock.nowMs(), turn: session.turns - 1 }
  const stamp = formatStamp(stampAt("moment", now.atMs, calendar))
  const records = events.map(({ text, importance }, at) => {
    const when = { grain: "moment", stamp, startMs: now.atMs, endMs: now.atMs } as const
    return newEvent({ id: `${name}:${turnId}:${at + 1}`, ...when, text, importance, sources: [turnId] }, now)
  })
  const collects = (["workspace", "pulled"] as const).filter((area) => settings.collect && garbage[area].length > 0)
  const changes: VirtualContextChange[] = [
    ...(settings.record && records.length > 0 ? [{ type: "events" as const, events: records }] : []),
    ...collects.map((area) => ({ type: "collect" as const, area, ids: garbage[area] })),
    ...(settings.inject && result.unreported?.includes("report_use") ? [{ type: "unreported" as const }] : []),
  ]
  if (changes.length > 0) await context.post(virtualContextNote(`${name}:${turnId}`, changes))
  if (!settings.inject) return
  const collected = collects.flatMap((area) => garbage[area]).map((id) => encodeInline(id))
  const text = renderNotice(dialect, "observer-note", {
    collected: collected.join(", "),
    next: onOneLine(note),
  })
  if (text.trim() !== "") await context.inject({ key: "note", text: text.slice(0, 4_000) })
}

const importance = 4
const askedCharacters = 80
const maxFiles = 5
const maxSaid = 20

/** Records what tools changed in a turn as one event. Talk is recorded elsewhere, when its topic has ended. */
async function recordByRule({ dialect }: ObserverParts, { context, result }: WatchedTurn): Promise<Findings["events"]> {
  const written = result.records.filter(({ kind }) => kind === "write").map(({ summary }) => onOneLine(summary))
  const files = [...new Set(written.map((summary) => summary.slice(summary.indexOf(" ") + 1)))]
  if (files.length === 0) return []
  // Behind the turn's own words others may stand already.
  const said = await context.messages({ role: "user", limit: maxSaid })
  const asked = said.findLast(({ turnId }) => turnId === context.turnId)
  const named = files.slice(0, maxFiles).join(", ") + (files.length > maxFiles ? " …" : "")
  const text = renderNotice(dialect, "observer-event", {
    files: named,
    speaker: onOneLine(asked?.speaker.name ?? ""),
    asked: shorten(onOneLine(asked?.text ?? ""), askedCharacters),
  })
  return [{ text: onOneLine(text), importance }]
}
