import { join } from "node:path"
import type { Clock } from "../core/ports.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../prompt/dialect/shipped-files.ts"
import { calculateTool } from "../prompt/tools/builtin/calculate.ts"
import { currentTimeTool } from "../prompt/tools/builtin/current-time.ts"
import type { Tool } from "../prompt/tools/tool.ts"
import { type ToolWords, toolWords } from "../prompt/tools/tool-words.ts"
import { isFolder } from "./file-log.ts"
import { createFileTools } from "./files/create-file-tools.ts"
import { type FileMount, fileToolNames, isInMount } from "./files/file-tool-options.ts"
import { emptyWorkspace, workspaceOnDemand } from "./files/workspace-on-demand.ts"
import { loadPrompts } from "./load-prompts.ts"
import { explainMemoryTool, forgetMemoryTool } from "./memory-tools.ts"
import { scheduleTools } from "./schedule-tools.ts"
import type { FileWorkspaceOptions } from "./workspace/workspace.ts"

/** Everything that built-in tools are made from. */
export interface BuiltinToolOptions {
  readonly locale: string
  readonly clock: Clock
  /** The time zone in which tools tell the time. Default: the host's. */
  readonly timeZone?: string | undefined
  /** The folder for the files of tools; created by the first write. */
  readonly dataFolder: string
  /** The user's prompts folder. `tools/LOCALE/NAME.md` in it replaces a tool's own words. */
  readonly promptFolder?: string | undefined
  /** The folder of the file tools; created by the first write. Default: `workspace` in `dataFolder`. */
  readonly workspaceFolder?: string
  /** The settings to open that folder with. */
  readonly workspace?: FileWorkspaceOptions
  /** Other folders that the file tools can read, such as skills. */
  readonly mounts?: readonly FileMount[]
}

const otherToolNames = [
  ...["add_schedule", "calculate", "cancel_schedule", "current_time", "explain_memory", "forget_memory", "list_schedule"],
]

/** The names of the built-in tools, sorted. */
export const builtinToolNames: readonly string[] = [...otherToolNames, ...fileToolNames].sort()

/** The built-in tools of these names, each once and in the given order. Other names are ignored. */
export function builtinTools(names: readonly string[], options: BuiltinToolOptions): Tool[] {
  const { locale, clock, timeZone, dataFolder, promptFolder } = options
  const prompts = promptsWithOwn(locale, promptFolder)
  const words = (name: string): ToolWords => toolWords(prompts, locale, name)
  const schedule = () => scheduleTools({ folder: dataFolder, clock, locale, prompts })
  const makers: Readonly<Record<string, () => Tool | undefined>> = {
    add_schedule: () => schedule()[0],
    calculate: () => calculateTool({ locale, words: words("calculate") }),
    cancel_schedule: () => schedule()[2],
    current_time: () => currentTimeTool({ clock, locale, timeZone, words: words("current_time") }),
    explain_memory: () => explainMemoryTool({ timeZone, words: words("explain_memory") }),
    forget_memory: () => forgetMemoryTool({ words: words("forget_memory") }),
    list_schedule: () => schedule()[1],
  }
  const files = fileTools(names, prompts, options)
  return [...new Set(names)]
    .map((name) => (Object.hasOwn(makers, name) ? makers[name]?.() : files.find((tool) => tool.name === name)))
    .filter((tool) => tool !== undefined)
}

/** The file tools are made together, as they share the record of what the model was shown. */
function fileTools(names: readonly string[], prompts: readonly PromptSource[], options: BuiltinToolOptions): readonly Tool[] {
  const { locale, clock, dataFolder, workspaceFolder = join(dataFolder, "workspace"), workspace, mounts } = options
  const tools = fileToolNames.filter((name) => names.includes(name))
  if (tools.length === 0) return []
  const opened = workspaceOnDemand(workspaceFolder, { clock, ...workspace })
  return createFileTools(opened, { tools, locale, prompts, mounts })
}

/** The tool `read` for the mounts alone. */
export function mountTools({ locale, promptFolder, mounts = [] }: BuiltinToolOptions): readonly Tool[] {
  const prompts = promptsWithOwn(locale, promptFolder)
  return createFileTools(emptyWorkspace(), { tools: ["read"], locale, prompts, mounts, allow: (path) => isInMount(path, mounts) })
}

/** The shipped words for tools in a locale, then the users' in all. Of two files with the same name the later one is used. */
export function promptsWithOwn(locale: string, ...promptFolders: readonly (string | undefined)[]): readonly PromptSource[] {
  return [...shippedPrompts("tools", locale), ...promptFolders.flatMap(ownPrompts)]
}

function ownPrompts(promptFolder: string | undefined): PromptSource[] {
  const folder = promptFolder === undefined ? undefined : join(promptFolder, "tools")
  return folder !== undefined && isFolder(folder) ? loadPrompts(folder, { shownAs: "tools" }) : []
}
