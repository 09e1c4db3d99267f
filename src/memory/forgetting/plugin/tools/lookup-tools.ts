import type { HistoryMessage } from "../../../../core/conversation.ts"
import { encodeInline } from "../../../../prompt/encode/inline.ts"
import type { Tool } from "../../../../prompt/tools/tool.ts"
import { formatStamp, stampAt } from "../../events/stamp.ts"
import { pull } from "../../pulled.ts"
import { CallRefusal, type ContextToolParts, defineContextTool } from "./context-tool.ts"
import { momentArgument } from "./event-tools.ts"

const defaultMessages = 20
const mostMessages = 100

/** `pull_messages`: finds messages of the conversation by speaker, number, time and words, also those that prompts do not show (R13). */
export function pullMessagesTool(parts: ContextToolParts): Tool {
  const { calendar, turn } = parts
  return defineContextTool(parts, {
    name: "pull_messages",
    kinds: { speaker: "text", number: "number", skip: "number", from: "text", to: "text", containing: "text" },
    async run({ speaker, number = defaultMessages, skip = 0, from, to, containing }) {
      const fromMs = from === undefined ? undefined : momentArgument(from, calendar).startMs
      const beforeMs = to === undefined ? undefined : momentArgument(to, calendar).endMs
      if (fromMs !== undefined && beforeMs !== undefined && fromMs >= beforeMs)
        throw new CallRefusal({ ends_first: encodeInline(`${from} - ${to}`.slice(0, 80)) })
      const messages = await turn.messages({
        speaker: speaker?.trim(),
        containing,
        fromMs,
        beforeMs,
        skip: whole(skip, 0, Number.MAX_SAFE_INTEGER),
        limit: whole(number, 1, mostMessages),
      })
      notePull(parts, messages)
      // Names and texts are encoded one by one: a line break in them must not look like the line of another speaker.
      const lines = messages.map((message) => {
        const { speaker, text } = message
        return `${stampOf(message, parts)} ${encodeInline(speaker.name)}: ${encodeInline(text)}`
      })
      return { count: messages.length, lines: lines.join("\n") }
    },
  })
}

function whole(number: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.floor(number)))
}

function stampOf({ atMs }: HistoryMessage, { calendar }: ContextToolParts): string {
  return formatStamp(stampAt("moment", atMs, calendar))
}

/** Only this call's result shows the messages. One line that names them stays as pulled information (R22). */
function notePull(parts: ContextToolParts, messages: readonly HistoryMessage[]): void {
  const [first, last] = [messages[0], messages.at(-1)]
  if (first === undefined || last === undefined) return
  const state = parts.read()
  const id = `messages ${stampOf(first, parts)} ~ ${stampOf(last, parts)}`
  const item = { id, kind: "reference", text: `${first.speaker.name}: ${first.text}` } as const
  parts.write({ ...state, pulled: pull(state.pulled, item, { now: parts.now, settings: parts.settings.pulled }) })
}

const defaultMemories = 8
const mostMemories = 50

/** `search_memories`: finds memories of the agent. */
export function searchMemoriesTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "search_memories",
    kinds: { query: "text", number: "number" },
    required: ["query"],
    async run({ query = "", number = defaultMemories }, { signal }) {
      const memories = (await parts.turn.recall?.(query, { limit: whole(number, 1, mostMemories), signal })) ?? []
      return { count: memories.length, lines: memories.map(({ text }) => `- ${encodeInline(text)}`).join("\n") }
    },
  })
}
