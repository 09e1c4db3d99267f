import type { HistoryMessage } from "../../../core/history.ts"
import { encodeInline } from "../../../encode/inline.ts"
import { formatStamp, stampAt } from "../../../forgetting/events/stamp.ts"
import type { ZonedCalendar } from "../../../forgetting/events/zoned-calendar.ts"
import { pull } from "../../../forgetting/pulled.ts"
import type { Tool } from "../../../tools/tool.ts"
import { type ContextToolParts, defineContextTool } from "./context-tool.ts"
import { momentArgument } from "./event-tools.ts"

const defaultMessages = 20
const mostMessages = 100

/** `pull_messages`: messages of the conversation by speaker, number and time, also those that prompts no longer show (R13). */
export function pullMessagesTool(parts: ContextToolParts): Tool {
  const { calendar, turn } = parts
  return defineContextTool(parts, {
    name: "pull_messages",
    kinds: { speaker: "text", number: "number", skip: "number", from: "text", to: "text", containing: "text" },
    async run({ speaker, number = defaultMessages, skip = 0, from, to, containing }) {
      const messages = await turn.messages({
        ...(speaker === undefined ? {} : { speaker: speaker.trim() }),
        ...(containing === undefined ? {} : { containing }),
        ...(from === undefined ? {} : { fromMs: momentArgument(from, calendar).startMs }),
        ...(to === undefined ? {} : { beforeMs: momentArgument(to, calendar).endMs }),
        skip: whole(skip, 0, Number.MAX_SAFE_INTEGER),
        limit: whole(number, 1, mostMessages),
      })
      keep(parts, messages)
      return { count: messages.length, lines: messages.map((message) => lineOf(message, calendar)).join("\n") }
    },
  })
}

function whole(number: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.floor(number)))
}

/** Names and words are encoded one by one: a line break in them begins no line that another speaker seems to have said. */
function lineOf({ atMs, speaker, text }: HistoryMessage, calendar: ZonedCalendar): string {
  return `${formatStamp(stampAt("moment", atMs, calendar))} ${encodeInline(speaker.name)}: ${encodeInline(text)}`
}

/** The one look is this call's result; what stays is a line that says what was looked at (R22). */
function keep({ read, write, now, settings, calendar }: ContextToolParts, messages: readonly HistoryMessage[]): void {
  const [first, last] = [messages[0], messages.at(-1)]
  if (first === undefined || last === undefined) return
  const [from, to] = [first, last].map(({ atMs }) => formatStamp(stampAt("moment", atMs, calendar)))
  const state = read()
  const item = { id: `messages ${from} ~ ${to}`, kind: "reference", text: `${first.speaker.name}: ${first.text}` } as const
  write({ ...state, pulled: pull(state.pulled, item, { now, settings: settings.pulled }) })
}

const defaultMemories = 8
const mostMemories = 50

/** `search_memories`: what the agent's memory knows of something, where it has one. */
export function searchMemoriesTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "search_memories",
    kinds: { query: "text", number: "number" },
    required: ["query"],
    async run({ query = "", number = defaultMemories }, { signal }) {
      const limit = Math.min(mostMemories, Math.max(1, Math.floor(number)))
      const memories = (await parts.turn.recall?.(query, { limit, signal })) ?? []
      return { count: memories.length, lines: memories.map(({ text }) => `- ${encodeInline(text)}`).join("\n") }
    },
  })
}
