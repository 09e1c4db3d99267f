import type { Tool } from "../../tools/tool.ts"
import type { ContextToolParts } from "./context-tool-parts.ts"
import { compressTool } from "./tools/compress-tool.ts"
import { discardPulledTool } from "./tools/discard-pulled-tool.ts"
import { pullMessagesTool } from "./tools/pull-messages-tool.ts"
import { recordEventTool } from "./tools/record-event-tool.ts"
import { reportUseTool } from "./tools/report-use-tool.ts"
import { searchEventsTool } from "./tools/search-events-tool.ts"
import { searchMemoriesTool } from "./tools/search-memories-tool.ts"
import { putIntoWorkspaceTool, takeOutOfWorkspaceTool } from "./tools/workspace-tools.ts"

/** The tools of a turn; `search_memories` only where there are memories. Always in one order, so that the list of tools holds. */
export function contextTools(parts: ContextToolParts): readonly Tool[] {
  return [
    reportUseTool(parts),
    putIntoWorkspaceTool(parts),
    takeOutOfWorkspaceTool(parts),
    pullMessagesTool(parts),
    discardPulledTool(parts),
    searchEventsTool(parts),
    recordEventTool(parts),
    ...(parts.turn.recall ? [searchMemoriesTool(parts)] : []),
    compressTool(parts),
  ]
}
