import { encodeInline } from "../../../encode/inline.ts"
import { markedPath } from "../../../forgetting/pulled.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { ContextToolParts } from "../context-tool-parts.ts"
import { defineContextTool } from "./define-context-tool.ts"

/** `discard_pulled`: collects pulled information that is no longer needed, all of it without names (R22). */
export function discardPulledTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "discard_pulled",
    kinds: { ids: "texts" },
    writes: true,
    run({ ids }) {
      const state = parts.read()
      const named = ids === undefined ? undefined : new Set(ids.map(markedPath))
      const gone = state.pulled.filter(({ id }) => named?.has(id) ?? true)
      const unknown = [...(named ?? [])].filter((id) => !gone.some((item) => item.id === id))
      parts.write({ ...state, pulled: state.pulled.filter((item) => !gone.includes(item)) })
      return { discarded: gone.map(({ id }) => encodeInline(id)).join(", "), unknown: unknown.map(encodeInline).join(", ") }
    },
  })
}
