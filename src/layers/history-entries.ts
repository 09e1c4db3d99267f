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
  for (const message of history) {
    const entry = entryOf(message, look, make)
    if (entry) made.push(entry)
  }
  return made
}

function entryOf(message: HistoryMessage, { agentName, group }: HistoryLook, make: (message: HistoryMessage) => Entry) {
  const { text, speaker } = message
  const known = entries.get(message)
  if (known && known.text === text && known.speaker === speaker.name && known.agentName === agentName && known.group === group)
    return known.entry
  const entry = isSpoken(message) ? make(message) : undefined
  entries.set(message, { text, speaker: speaker.name, agentName, group, entry })
  return entry
}

function isSpoken({ text, prestart = [] }: HistoryMessage): boolean {
  return prestart.length > 0 || sanitise(text).text.trim() !== ""
}
