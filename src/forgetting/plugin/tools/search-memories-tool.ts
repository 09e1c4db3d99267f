import { encodeInline } from "../../../encode/inline.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { ContextToolParts } from "../context-tool-parts.ts"
import { defineContextTool } from "./define-context-tool.ts"

const defaultNumber = 8
const mostMemories = 50

/** `search_memories`: what the agent's memory knows of something, where it has one. */
export function searchMemoriesTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "search_memories",
    kinds: { query: "text", number: "number" },
    required: ["query"],
    async run({ query = "", number = defaultNumber }, { signal }) {
      const limit = Math.min(mostMemories, Math.max(1, Math.floor(number)))
      const memories = (await parts.turn.recall?.(query, { limit, signal })) ?? []
      return { count: memories.length, lines: memories.map(({ text }) => `- ${encodeInline(text)}`).join("\n") }
    },
  })
}
