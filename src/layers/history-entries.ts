import { GrowingLists } from "../core/growing-lists.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { Entry } from "../core/value.ts"
import { encodedText } from "../encode/encoded.ts"
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
const histories = new GrowingLists<HistoryMessage, KnownEntry>()

/** The look asked for last: turn by turn a conversation has the same one, which is seen faster than that two are alike. */
let lastLook: HistoryLook = { agentName: "", group: false, zone: undefined }

function isAlike(a: HistoryLook, b: HistoryLook): boolean {
  return a.agentName === b.agentName && a.group === b.group && a.zone === b.zone && a.unprompted === b.unprompted
}

/**
 * The entries of history, blank messages skipped, unless something is kept with them (T30). A message that was said is
 * readonly data and has one entry over all turns, so that it is cleaned, printed and counted once.
 */
export function historyEntries(
  history: readonly HistoryMessage[],
  given: HistoryLook,
  make: (message: HistoryMessage) => Entry,
): Entry[] {
  if (!isAlike(lastLook, given)) lastLook = given
  const look = lastLook
  const made: Entry[] = []
  const known = histories.of(history, (message) => knownEntry(message, look, make))
  for (let index = 0; index < history.length; index++) {
    const message = history[index]
    const before = known[index]
    if (!message) continue
    const still = before && isStill(before, message, look) ? before : knownEntry(message, look, make)
    if (still.entry && still.before) made.push(still.before)
    if (still.entry) made.push(still.entry)
  }
  return made
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
