import { PromptStrataError } from "../../core/errors.ts"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import { shippedPrompts } from "../../dialect/shipped.ts"
import { encodeInline } from "../../encode/inline.ts"
import { renderTemplate, type TemplateValues } from "../../template/render.ts"
import { type ToolWords, toolWords } from "../../tools/tool-words.ts"
import type { FileToolName } from "./file-tool-options.ts"

/** What a file tool says. */
export interface FileWords extends ToolWords {
  /** Its answer. */
  say(values: TemplateValues): string
  /** Its answer as an error, which the model is told as the tool's failure. */
  refuse(values: TemplateValues): PromptStrataError
  /** What kept a file from being used, of any file tool. */
  problem(values: TemplateValues): PromptStrataError
}

/** The words of a file tool: its own from `tools/LOCALE/NAME.md`, and those all share from `file-problem.md`. */
export function fileWords(tool: FileToolName, locale: string, prompts: readonly PromptSource[] = shippedPrompts()): FileWords {
  const words = toolWords(prompts, locale, tool)
  const { answer } = toolWords(prompts, locale, "file-problem")
  const say = (values: TemplateValues) => renderTemplate(words.answer, values)
  return {
    ...words,
    say,
    refuse: (values) => new PromptStrataError("tool-arguments", say(values)),
    problem: (values) => new PromptStrataError("tool-arguments", renderTemplate(answer, values)),
  }
}

/** A path as it stands in an answer: it cannot end the sentence around it. */
export function shownPath(path: string): string {
  return encodeInline(path === "" ? "." : path)
}
