import { join } from "node:path"
import type { Clock } from "../core/ports.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import { shippedPrompts } from "../dialect/shipped-prompts.ts"
import { calculateTool } from "../tools/builtin/calculate.ts"
import { currentTimeTool } from "../tools/builtin/current-time.ts"
import type { Tool } from "../tools/tool.ts"
import { type ToolWords, toolWords } from "../tools/tool-words.ts"
import { isFolder } from "./is-folder.ts"
import { loadPrompts } from "./load-prompts.ts"
import { scheduleTools } from "./schedule-tools.ts"

/** What built-in tools are made from. */
export interface BuiltinToolOptions {
  readonly locale: string
  readonly clock: Clock
  /** Where tools keep their files; made when one is first written. */
  readonly dataFolder: string
  /** The user's prompts folder: `tools/LOCALE/NAME.md` in it replaces a tool's own words. */
  readonly promptFolder?: string
}

/** The names of the built-in tools, in order. */
export const builtinToolNames: readonly string[] = ["add_schedule", "calculate", "current_time", "list_schedule"]

/** The built-in tools of these names, each once and in the order given; other names are passed over. */
export function builtinTools(names: readonly string[], { locale, clock, dataFolder, promptFolder }: BuiltinToolOptions): Tool[] {
  const prompts = [...shippedPrompts, ...ownPrompts(promptFolder)]
  const words = (name: string): ToolWords => toolWords(prompts, locale, name)
  const schedule = () =>
    scheduleTools({ folder: dataFolder, clock, locale, words: { add: words("add_schedule"), list: words("list_schedule") } })
  const makers: Readonly<Record<string, () => Tool>> = {
    add_schedule: () => schedule()[0],
    calculate: () => calculateTool({ locale, words: words("calculate") }),
    current_time: () => currentTimeTool({ clock, locale, words: words("current_time") }),
    list_schedule: () => schedule()[1],
  }
  return [...new Set(names)]
    .flatMap((name) => (Object.hasOwn(makers, name) ? [makers[name]?.()] : []))
    .filter((tool) => tool !== undefined)
}

/** Named as the shipped ones, which the later of two replaces. */
function ownPrompts(promptFolder: string | undefined): PromptSource[] {
  const folder = promptFolder === undefined ? undefined : join(promptFolder, "tools")
  return folder !== undefined && isFolder(folder) ? loadPrompts(folder, { shownAs: "tools" }) : []
}
