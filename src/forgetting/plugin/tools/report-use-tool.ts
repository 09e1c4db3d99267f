import { encodeInline } from "../../../encode/inline.ts"
import { markedPath } from "../../../forgetting/pulled.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { ContextToolParts } from "../context-tool-parts.ts"
import { defineContextTool } from "./define-context-tool.ts"
import { openWorkspace } from "./workspace-tools.ts"

/** `report_use`: what of the workspace an answer used and may use next, told together with the answer (R16). The rest only ages. */
export function reportUseTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "report_use",
    kinds: { used: "texts", maybe_used: "texts" },
    writes: true,
    withAnswer: true,
    run({ used = [], maybe_used: maybeUsed = [] }) {
      const workspace = openWorkspace(parts)
      const unknown = workspace.report({ used: used.map(markedPath), maybeUsed: maybeUsed.map(markedPath) }, parts.now)
      parts.write({ ...parts.read(), workspace: workspace.items() })
      return { noted: used.length + maybeUsed.length - unknown.length, unknown: unknown.map(encodeInline).join(", ") }
    },
  })
}
