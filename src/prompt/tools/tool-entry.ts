import { PromptStrataError } from "../../core/errors.ts"
import { authored, memoKind } from "../../core/memo.ts"
import type { SlotEntry, TrustedText } from "../../core/value.ts"
import type { Tool } from "./tool.ts"

/** The words that a parameter list needs. They come from `prompts/`. */
export interface ParameterWords {
  /** Marks a parameter that may be left out, such as `optional`. */
  readonly optional: string
}

type PrintParameters = (tool: Tool, words: ParameterWords) => TrustedText

/** Prints the parameters of tools; see {@link printParametersBy}. */
export let printParameters: PrintParameters | undefined

/** Takes the function that prints parameters. Files that make tools bring it, so that a program without tools does not load it. */
export function printParametersBy(print: PrintParameters): void {
  printParameters = print
}

/** The last entry made for each tool, with the word it was printed with. A turn asks for the same tools at every step. */
const madeEntries = memoKind<Tool, { readonly optional: string; readonly entry: SlotEntry }>()

/**
 * Makes the entry of a tool for a dialect's `tools.md` (T9, L6): `name`, `description`, `parameters` and `hint`, of which the
 * last two may be `""`, and `owed` for a tool that each answer must come with (R16). The texts have the tool's trust. `parameters` is encoded already. The entry is kept with the tool
 * object, so a tool must not be changed after it was first shown.
 */
export function toolEntry(tool: Tool, words: ParameterWords): SlotEntry {
  const made = authored.get(madeEntries, tool)
  if (made?.optional === words.optional) return made.entry
  const { name, description, usageHint = "", trust } = tool
  if (printParameters === undefined) throw notDefined(name)
  // Further lines stand below the first one's text. Others' texts are one line, because they are encoded.
  const indented = (text: string) => ({ text: trust === "author" ? text.replaceAll("\n", "\n  ") : text, trust })
  const entry = {
    name: { text: name, trust },
    description: indented(description),
    parameters: printParameters(tool, words),
    hint: indented(usageHint),
    owed: tool.withAnswer === "required",
  }
  authored.set(madeEntries, tool, { optional: words.optional, entry })
  return entry
}

function notDefined(tool: string): PromptStrataError {
  const message = `expected tools that \`defineTool\` made, found ${JSON.stringify(tool)} in a program that does not load it.`
  return new PromptStrataError("tool-definition", message, { evidence: { tool }, hint: "Make each tool with `defineTool`." })
}
