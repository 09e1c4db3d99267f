import { commonStart } from "../core/growing-lists.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { Entry } from "../core/value.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitise } from "../encode/sanitise.ts"

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
