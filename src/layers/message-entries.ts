import type { HistoryMessage } from "../core/history.ts"
import type { Entry, Text } from "../core/value.ts"
import { formatFileReference } from "../encode/file-reference.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitise } from "../encode/sanitise.ts"
import type { HistoryLook } from "./history-entries.ts"
import { messageTime } from "./message-time.ts"
import { prestartEntry } from "./prestart-entry.ts"
import type { TurnState } from "./turn-state.ts"

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
