import { type HistoryMessage, toldApart } from "../../../core/conversation.ts"
import { messageOf } from "../../../core/errors.ts"
import { isRecord, listOf, numberOr, parsedJson, recordOf, stringOf } from "../../../core/json-access.ts"
import { firstStabilityDays } from "../../../core/retrievability.ts"
import { defined, type SlotEntry, type TrustedText } from "../../../core/value.ts"
import { newEvent } from "../../../memory/forgetting/events/event-record.ts"
import { formatStamp, stampAt } from "../../../memory/forgetting/events/stamp.ts"
import { hostTimeZone, type ZonedCalendar, zonedCalendar } from "../../../memory/forgetting/events/zoned-calendar.ts"
import type { WorkspaceItem } from "../../../memory/forgetting/forgetting-workspace.ts"
import { readState, type VirtualContextChange, virtualContextNote } from "../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import { markedPath, type PulledItem } from "../../../memory/forgetting/pulled.ts"
import type { AskModel } from "../../../memory/services/background/background-job.ts"
import { promptData } from "../../../memory/services/background/dialogue.ts"
import type { Observer } from "../../../memory/services/observer.ts"
import { shorten } from "../../../memory/services/shorten-by-rule.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import { onOneLine } from "../../../prompt/encode/line-breaks.ts"
import type { Garbage, ObserverParts, WatchedTurn, WatchResult } from "./watched-turn.ts"

const maxMessages = 200

/**
 * Finds garbage by rule: pulled information that lies in the workspace too or that nobody has named for `pulledTurns`, and items of
 * the workspace that were never used or named since they were put in, `workspaceTurns` ago.
 */
export async function garbageOf({ settings }: ObserverParts, { context, session, state }: WatchedTurn): Promise<Garbage> {
  const turn = session.turns - 1
  const kept = new Set(state.workspace.map(({ id }) => id))
  const isOld = (item: PulledItem): boolean => turn - item.pulled.turn >= settings.pulledTurns
  const pulled = state.pulled.filter((item) => kept.has(item.id) || isOld(item))
  const unused = state.workspace.filter((item) => isUnused(item) && turn - item.added.turn >= settings.workspaceTurns)
  const since = Math.min(...pulled.map((item) => item.pulled.atMs), ...unused.map(({ added }) => added.atMs))
  if (!Number.isFinite(since)) return { workspace: [], pulled: [] }
  const messages = await context.messages({ fromMs: since, limit: maxMessages })
  return {
    workspace: unused.filter(({ id, added }) => !isNamed(id, added.atMs, messages)).map(({ id }) => id),
    pulled: pulled.filter(({ id, pulled }) => kept.has(id) || !isNamed(id, pulled.atMs, messages)).map(({ id }) => id),
  }
}

/** True if no report has named the item since it was put in. */
function isUnused({ stability, added, recalled }: WorkspaceItem): boolean {
  return stability === firstStabilityDays && recalled.turn === added.turn && recalled.atMs === added.atMs
}

/** True if a message of a later turn has the name in it: the id, or the last part of a path. */
function isNamed(id: string, sinceMs: number, messages: readonly HistoryMessage[]): boolean {
  const own = new Set(messages.filter(({ atMs }) => atMs === sinceMs).map(({ turnId }) => turnId))
  const short = id.split(/[\\/]/u).at(-1) ?? ""
  const names = short.length >= 3 ? [id, short] : [id]
  return messages.some(
    ({ atMs, turnId, text }) => atMs > sinceMs && !own.has(turnId) && names.some((name) => text.includes(name)),
  )
}

const lastMessages = 8
const messageCharacters = 2_000
const itemCharacters = 200
const eventCharacters = 500
const noteCharacters = 1_000
const maxEvents = 5
const defaultImportance = 3

/** Asks a model what to record, to collect and to note. Undefined if it fails or its answer cannot be read: a receipt says so, and the rule decides. */
export async function observeByModel(parts: ObserverParts, turn: WatchedTurn): Promise<WatchResult | undefined> {
  const { name, ask, ports, putReceipt } = parts
  const { context } = turn
  const startedMs = ports.clock.nowMs()
  const told = async (outcome: Pick<Receipt, "outcome" | "message" | "model" | "usage" | "estimate">): Promise<void> => {
    const durationMs = ports.clock.nowMs() - startedMs
    const { key, turnId } = context
    await putReceipt({ key, turnId, kind: name, attempt: 1, startedMs, durationMs, ...outcome })
  }
  let answer: Awaited<ReturnType<AskModel>>
  try {
    answer = await ask("observe", await dataOf(turn), { signal: context.signal, key: context.key })
  } catch (error) {
    context.signal.throwIfAborted()
    await told({ outcome: "failed", message: `${messageOf(error)} The rule decided.` })
    return undefined
  }
  const found = readFindings(answer.text, turn)
  const { model, usage, estimate } = answer
  const asked = defined({ model, usage, estimate })
  await told(found ? { outcome: "ok", ...asked } : { outcome: "parse-error", message: "The rule decided.", ...asked })
  return found
}

async function dataOf({ context, state, result }: WatchedTurn) {
  const said = await context.messages({ limit: lastMessages })
  const dialogue = toldApart(said).map(({ speaker, text, role }): SlotEntry => {
    const trust = role === "user" ? ("user" as const) : ("agent" as const)
    return { speaker: { text: speaker.name, trust: "user" }, text: { text: shorten(text, messageCharacters), trust } }
  })
  const item = ({ id, text }: { readonly id: string; readonly text: string }): SlotEntry => {
    return { id: as(id), text: as(shorten(text, itemCharacters)) }
  }
  const done = result.records.map(({ summary }) => onOneLine(summary)).join("\n")
  return [
    promptData("dialogue", dialogue, "user"),
    promptData("done", { text: done, trust: "tool" }, "tool"),
    promptData("workspace", state.workspace.map(item), "memory"),
    promptData("pulled", state.pulled.map(item), "memory"),
  ]
}

function as(text: string): TrustedText {
  return { text, trust: "memory" }
}

/** Reads the JSON object in a model's answer. Ids that nobody has are left out. */
function readFindings(answer: string, { state }: WatchedTurn): WatchResult | undefined {
  const [start, end] = [answer.indexOf("{"), answer.lastIndexOf("}")]
  const read = parsedJson(answer.slice(start, end + 1))
  if (!isRecord(read)) return undefined
  const { events, collect, note } = read
  const ids = new Set(listOf(collect).flatMap((id) => (typeof id === "string" ? [id, markedPath(id)] : [])))
  const named = (items: readonly { readonly id: string }[]): readonly string[] =>
    items.map(({ id }) => id).filter((id) => ids.has(id))
  return {
    events: listOf(events).slice(0, maxEvents).flatMap(eventOf),
    garbage: { workspace: named(state.workspace), pulled: named(state.pulled) },
    note: shorten(onOneLine(stringOf(note)), noteCharacters),
  }
}

function eventOf(value: unknown): WatchResult["events"] {
  const { event, importance } = recordOf(value)
  const text = shorten(onOneLine(stringOf(event)), eventCharacters)
  return text === "" ? [] : [{ text, importance: numberOr(importance, defaultImportance) }]
}

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

async function look(parts: ObserverParts, turn: WatchedTurn): Promise<WatchResult> {
  const { writer } = parts.settings
  const found = writer === "model" ? await observeByModel(parts, turn) : undefined
  return found ?? { events: await recordByRule(parts, turn), garbage: await garbageOf(parts, turn), note: "" }
}

async function leaveNotes(
  { name, settings, dialect, ports, calendar }: ObserverParts & { readonly calendar: ZonedCalendar },
  { context, session, result }: WatchedTurn,
  { events, garbage, note }: WatchResult,
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
async function recordByRule({ dialect }: ObserverParts, { context, result }: WatchedTurn): Promise<WatchResult["events"]> {
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
