import { checkOptions } from "../../core/check-options.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { editTool } from "./edit-tool.ts"
import { type FileToolParts, filePlaces, fileWords } from "./file-tool.ts"
import { type FileToolName, type FileToolsOptions, fileToolNames, type WritableWorkspace } from "./file-tool-options.ts"
import { listTool, searchTool } from "./list-and-search-tools.ts"
import { createReadLedger, type ReadLedger } from "./read-ledger.ts"
import { readTool } from "./read-tool.ts"
import { writeTool } from "./write-tool.ts"

const makers: Readonly<Record<FileToolName, (parts: FileToolParts) => Tool>> = {
  read: readTool,
  write: writeTool,
  edit: editTool,
  list: listTool,
  search: searchTool,
}

/**
 * Makes the tools `read`, `write`, `edit`, `list` and `search` over a workspace, for any profile. A file is overwritten only if
 * the model has been shown its present content in the same turn (D10). Every change is noted in the turn's trace. Failures are
 * reported in words that help the model to go on.
 */
export function createFileTools(workspace: WritableWorkspace, options: FileToolsOptions = {}): readonly Tool[] {
  checkOptions("createFileTools", options, "locale prompts tools names mounts allow confirmRule pageCharacters")
  return createFileToolsWith(workspace, options, createReadLedger())
}

/** Makes the tools of {@link createFileTools} with a given record of what the model has been shown. */
export function createFileToolsWith(workspace: WritableWorkspace, options: FileToolsOptions, reads: ReadLedger): readonly Tool[] {
  const { locale = "en", prompts, names = {}, mounts, allow = () => true, confirmRule = () => "free" } = options
  const { tools = fileToolNames, pageCharacters = 10_000 } = options
  const places = filePlaces(workspace, mounts)
  return tools.map((tool) => {
    const words = fileWords(tool, locale, prompts)
    return makers[tool]({ name: names[tool] ?? tool, words, places, reads, pageCharacters, allow, confirmRule })
  })
}
