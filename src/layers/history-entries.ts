import { GrowingLists } from "../core/growing-lists.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { Entry } from "../core/value.ts"
import { sanitise } from "../encode/sanitise.ts"

/** How lines of history are printed. */
export interface HistoryLook {
  readonly agentName: string
  readonly group: boolean
}

/** A message, how it was said then, and its entry: none for a blank one. */
interface KnownEntry extends HistoryLook {
  readonly text: string
  readonly speaker: string
  readonly entry: Entry | undefined
}

const entries = new WeakMap<HistoryMessage, KnownEntry>()
const histories = new GrowingLists<HistoryMessage, KnownEntry>()

/**
 * The entries of history, blank messages skipped, unless something is kept with them (T30). A message that was said is
 * readonly data and has one entry over all turns, so that it is cleaned, printed and counted once.
 */
export function historyEntries(
  history: readonly HistoryMessage[],
  look: HistoryLook,
  make: (message: HistoryMessage) => Entry,
): Entry[] {
  const made: Entry[] = []
  const known = histories.of(history, (message) => knownEntry(message, look, make))
  for (let index = 0; index < history.length; index++) {
    const message = history[index]
    const before = known[index]
    if (!message) continue
    const { entry } = before && isStill(before, message, look) ? before : knownEntry(message, look, make)
    if (entry) made.push(entry)
  }
  return made
}

function knownEntry(message: HistoryMessage, look: HistoryLook, make: (message: HistoryMessage) => Entry): KnownEntry {
  const before = entries.get(message)
  if (before && isStill(before, message, look)) return before
  const { text, speaker } = message
  const { agentName, group } = look
  const known = { text, speaker: speaker.name, agentName, group, entry: isSpoken(message) ? make(message) : undefined }
  entries.set(message, known)
  return known
}

function isStill(known: KnownEntry, { text, speaker }: HistoryMessage, { agentName, group }: HistoryLook): boolean {
  return known.text === text && known.speaker === speaker.name && known.agentName === agentName && known.group === group
}

/** A character that sanitising leaves and everybody sees. */
const plainlySpoken = /[!-~\u4e00-\u9fff]/

function isSpoken({ text, prestart = [] }: HistoryMessage): boolean {
  return prestart.length > 0 || plainlySpoken.test(text) || sanitise(text).text.trim() !== ""
}
