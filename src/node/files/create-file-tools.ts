import type { Tool } from "../../tools/tool.ts"
import { editTool } from "./edit-tool.ts"
import { type FileToolParts, filePlaces, fileWords } from "./file-tool.ts"
import { type FileToolName, type FileToolsOptions, type FileWorkspace, fileToolNames } from "./file-tool-options.ts"
import { listTool, searchTool } from "./list-and-search-tools.ts"
import { createReadLedger } from "./read-ledger.ts"
import { readTool } from "./read-tool.ts"
import { writeTool } from "./write-tool.ts"

const makers: Readonly<Record<FileToolName, (parts: FileToolParts) => Tool>> = {
  read: readTool,
  write: writeTool,
  edit: editTool,
  list: listTool,
  search: searchTool,
}

const defaultPageCharacters = 10_000

/**
 * The tools `read`, `write`, `edit`, `list` and `search` over a workspace, for any profile. Nothing is overwritten that the model
 * has not been shown in the same turn as it is now (D10); every change is noted in the turn's trace. Failures are told in words
 * the model can act on.
 */
export function createFileTools(workspace: FileWorkspace, options: FileToolsOptions = {}): readonly Tool[] {
  const { locale = "en", prompts, names = {}, mounts, allow, confirmRule } = options
  const { tools = fileToolNames, reads = createReadLedger(), pageCharacters = defaultPageCharacters } = options
  const places = filePlaces(workspace, mounts)
  return tools.map((tool) =>
    makers[tool]({
      name: names[tool] ?? tool,
      words: fileWords(tool, locale, prompts),
      places,
      reads,
      pageCharacters,
      ...(allow ? { allow } : {}),
      ...(confirmRule ? { confirmRule } : {}),
    }),
  )
}
