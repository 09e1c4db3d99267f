import { commonStart } from "../core/growing-lists.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { Entry, Text } from "../core/value.ts"
import { encodedText } from "../encode/encoded.ts"
import { formatFileReference } from "../encode/file-reference.ts"
import { sanitise } from "../encode/sanitise.ts"
import { prestartEntry } from "./prestart-entry.ts"
import type { TurnState } from "./turn-state.ts"

/** How lines of history are printed. */
export interface HistoryLook {
  readonly agentName: string
  readonly group: boolean
  /** The time zone of the times that lines carry; empty for the host's, absent where they carry none. */
  readonly zone: string | undefined
  /** Stands as a user's line before what the agent said unprompted (R27), so that roles take turns; absent where history is no messages. */
  readonly unprompted?: string | undefined
}

/** A message, how it was said then, and its entry: none for a blank one. */
interface KnownEntry {
  readonly look: HistoryLook
  readonly text: string
  readonly speaker: string
  readonly entry: Entry | undefined
  readonly before: Entry | undefined
}

const entries = new WeakMap<HistoryMessage, KnownEntry>()

/** A history and its entries as they were made; up to each message, how many. */
interface KnownHistory {
  readonly look: HistoryLook
  readonly messages: HistoryMessage[]
  readonly entries: Entry[]
  readonly ends: number[]
}

/** By its first message, the last history that began with it: a turn later it has grown by two. */
const histories = new WeakMap<HistoryMessage, KnownHistory>()

function isAlike(a: HistoryLook, b: HistoryLook): boolean {
  return a.agentName === b.agentName && a.group === b.group && a.zone === b.zone && a.unprompted === b.unprompted
}

/**
 * The entries of history, blank messages skipped, unless something is kept with them (T30). A message that was said is
 * readonly data and has one entry over all turns, so that it is cleaned, printed and counted once.
 */
export function historyEntries(
  history: readonly HistoryMessage[],
  look: HistoryLook,
  make: (message: HistoryMessage) => Entry,
): Entry[] {
  const [first] = history
  if (!first) return []
  const before = histories.get(first)
  const known = before && isAlike(before.look, look) ? before : { look, messages: [], entries: [], ends: [] }
  histories.set(first, known)
  const begun = commonStart(history, known.messages)
  known.messages.length = begun
  known.ends.length = begun
  known.entries.length = known.ends[begun - 1] ?? 0
  for (let index = begun; index < history.length; index++) {
    const message = history[index] ?? first
    const made = knownEntry(message, known.look, make)
    if (made.entry && made.before) known.entries.push(made.before)
    if (made.entry) known.entries.push(made.entry)
    known.messages.push(message)
    known.ends.push(known.entries.length)
  }
  return known.entries.slice()
}

function knownEntry(message: HistoryMessage, look: HistoryLook, make: (message: HistoryMessage) => Entry): KnownEntry {
  const before = entries.get(message)
  if (before && isStill(before, message, look)) return before
  const entry = isSpoken(message) ? make(message) : undefined
  const known = { look, text: message.text, speaker: message.speaker.name, entry, before: entryBefore(message, look) }
  entries.set(message, known)
  return known
}

function isStill(known: KnownEntry, { text, speaker }: HistoryMessage, look: HistoryLook): boolean {
  return known.text === text && known.speaker === speaker.name && (known.look === look || isAlike(known.look, look))
}

/** Of no speaker, and nobody's words but the dialect's. */
function entryBefore({ unprompted }: HistoryMessage, look: HistoryLook): Entry | undefined {
  if (unprompted !== true || look.unprompted === undefined) return undefined
  return { role: "user", own: true, group: false, text: encodedText(look.unprompted, "author") }
}

/** A character that sanitising leaves and everybody sees. */
const plainlySpoken = /[!-~\u4e00-\u9fff]/

function isSpoken({ text, prestart = [] }: HistoryMessage): boolean {
  return prestart.length > 0 || plainlySpoken.test(text) || sanitise(text).text.trim() !== ""
}

/** The entry of what the user says now; its time and files where there are any (R8, R11). */
export function questionEntry({ question, files, atMs }: TurnState, { group, zone }: Omit<HistoryLook, "agentName">): Entry {
  return {
    speaker: { text: question.speaker.name, trust: "user" },
    text: { text: question.text, trust: "user" },
    group,
    ...timeOf(atMs, zone),
    ...filesOf(files),
  }
}

/** The entry of what was said before; `own` marks the agent's words, which carry no name. */
export function historyEntry(message: HistoryMessage, { agentName, group, zone, unprompted }: HistoryLook): Entry {
  const own = message.role === "assistant"
  return {
    role: message.role,
    own,
    group: group && !own,
    speaker: own ? { text: agentName, trust: "author" } : { text: message.speaker.name, trust: "user" },
    text: { text: message.text, trust: own ? "agent" : "user" },
    memories: (message.recalled ?? []).map((recalled) => ({ text: { text: recalled, trust: "memory" } })),
    prestart: (message.prestart ?? []).map(prestartEntry),
    ...(message.unprompted === true && unprompted !== undefined ? { answers: true } : {}),
    ...timeOf(message.atMs, zone),
    ...filesOf(message.files),
  }
}

function timeOf(atMs: number | undefined, zone: string | undefined): { readonly time?: Text } {
  if (atMs === undefined || zone === undefined) return {}
  return { time: { text: messageTime(atMs, zone === "" ? undefined : zone), trust: "author" } }
}

/** A name is cleaned by itself, as no encoder runs over the reference any more. */
function filesOf(files: readonly string[] = []): { readonly files?: readonly Entry[] } {
  if (files.length === 0) return {}
  return {
    files: files.map((path) => {
      const { text, removed, kinds } = sanitise(path)
      return { reference: encodedText(formatFileReference({ path: text }), "user", { removed, kinds }) }
    }),
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()
const maxKeptFormats = 100

/**
 * The minute in which something was said, as events are stamped: `20260216 3:16` (R11, R20), by the clocks of an IANA time zone;
 * without one, of the host's. An unknown zone throws the platform's RangeError.
 */
export function messageTime(atMs: number, timeZone?: string): string {
  const parts = new Map(
    formatOf(timeZone ?? "")
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ""
  const date = `${part("year").padStart(4, "0")}${part("month")}${part("day")}`
  return `${date} ${Number(part("hour"))}:${part("minute")}`
}

/** Making one takes a hundred times as long as using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    ...(timeZone === "" ? {} : { timeZone }),
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  })
  if (formats.size >= maxKeptFormats) formats.clear()
  formats.set(timeZone, format)
  return format
}
