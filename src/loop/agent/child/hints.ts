import { type HistoryMessage, type Speaker, toldApart } from "../../../core/conversation.ts"
import { clipped } from "../../../core/graphemes.ts"
import { type Injection, isText, type SlotEntry, type SlotValue, type TrustedText } from "../../../core/value.ts"
import type { InjectionInput } from "../../../prompt/stack/injection.ts"

/** The parts of a caller's turn from which hints are chosen for the agent that it calls (R25). */
export interface HintSource {
  /** The request that the child gets. */
  readonly request: string
  readonly agentName: string
  /** The question of the caller's turn. Its text is empty if nobody spoke. */
  readonly question: { readonly speaker: Speaker; readonly text: string }
  /** The caller's window of the conversation, oldest first. */
  readonly history: readonly HistoryMessage[]
  /** The item of the caller's stack under a key, such as `workspace`. */
  injection(key: string): Injection | undefined
}

/** Chooses the parts of the caller's context that a child sees, as items of its stack. */
export type ChooseHints = (source: HintSource) => readonly InjectionInput[]

const maxMessageLength = 1_000
const maxFiles = 20
const maxPulled = 20
const maxEvents = 20

/**
 * Chooses the last messages, the question, and, where the caller has a virtual context, the titles of the workspace, pulled
 * information and the latest events. All of it stands under the key `hints`.
 */
export function hintsWith({ messages: count }: { readonly messages: number }): ChooseHints {
  return (source) => {
    const { agentName, question, history } = source
    const all = toldApart([...history.slice(Math.max(0, history.length - count)), { ...question, role: "user" as const }])
    const said = all.flatMap((message, at) => (at === all.length - 1 && message.text === "" ? [] : [spoken(message, agentName)]))
    const entry: SlotEntry = {
      caller: { text: agentName, trust: "author" },
      hint_messages: said,
      hint_files: titles(source.injection("workspace")).map((title): SlotEntry => ({ title })),
      hint_pulled: entriesOf(source.injection("pulled"), ["id", "text"]).slice(-maxPulled),
      hint_events: entriesOf(source.injection("events"), ["stamp", "text"]).slice(-maxEvents),
    }
    return [{ key: "hints", content: [entry], trust: "user" }]
  }
}

/** The hints of a child whose options choose none. */
export const usualHints: ChooseHints = hintsWith({ messages: 6 })

/** The fields of a list's entries that are texts, each with its own trust. */
function entriesOf(list: Injection | undefined, fields: readonly string[]): readonly SlotEntry[] {
  if (!list?.enabled || !Array.isArray(list.content)) return []
  return (list.content as readonly SlotEntry[]).map((entry) => {
    const texts = fields.map((field): [string, SlotValue] => {
      const value = entry[field] ?? ""
      return [field, typeof value === "string" ? { text: value, trust: list.trust } : value]
    })
    return Object.fromEntries(texts)
  })
}

function spoken({ role, speaker, text }: Pick<HistoryMessage, "role" | "speaker" | "text">, agentName: string): SlotEntry {
  const isAgent = role === "assistant"
  return {
    speaker: { text: isAgent ? agentName : speaker.name, trust: "user" },
    text: { text: clipped(text, maxMessageLength), trust: isAgent ? "agent" : "user" },
  }
}

/** The first text of each entry of a workspace, which is its title. */
function titles(workspace: Injection | undefined): readonly TrustedText[] {
  if (!workspace?.enabled || !Array.isArray(workspace.content)) return []
  return (workspace.content as readonly SlotEntry[]).slice(0, maxFiles).flatMap((entry) => firstText(entry, workspace.trust))
}

function firstText(entry: SlotEntry, trust: TrustedText["trust"]): readonly TrustedText[] {
  for (const value of Object.values(entry) as SlotValue[]) {
    if (typeof value === "string" && value !== "") return [{ text: value, trust }]
    if (typeof value === "object" && isText(value)) return [value]
  }
  return []
}
