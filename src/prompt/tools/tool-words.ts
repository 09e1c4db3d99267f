import { PromptStrataError } from "../../core/errors.ts"
import type { ErrorEvidence } from "../../core/evidence/error-evidence.ts"
import { chooseLocale } from "../dialect/locales.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import { parseTemplate } from "../template/parse.ts"
import { renderParsed, type TemplateValues } from "../template/render.ts"

/** The texts of a built-in tool, from its prompt file. */
export interface ToolWords {
  readonly description: string
  readonly usageHint: string | undefined
  /** Parameter descriptions by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The tool's answer. The tool chooses the values. */
  readonly say: (values: TemplateValues) => string
  /** The answer as an error; the model reads it as a failure of the tool. */
  readonly refuse: (values: TemplateValues, evidence?: ErrorEvidence["tool-arguments"]) => PromptStrataError
}

/**
 * Reads the texts of a built-in tool from `tools/<locale>/<tool>.md`. A locale without such a file gets the file that
 * `chooseLocale` falls back to. Throws `prompt-missing` when no locale has one, and `front-matter` when the description is
 * missing.
 */
export function toolWords(prompts: readonly PromptSource[], locale: string, tool: string): ToolWords {
  const prompt = findPrompt(prompts, locale, tool)
  const { description, usage_hint: usageHint, parameters } = prompt.attributes
  if (typeof description !== "string") {
    const message = "Expected a `description` (text) in the front matter of this tool's prompt."
    throw new PromptStrataError("front-matter", message, { source: { file: prompt.path, line: 1 } })
  }
  const answer = parseTemplate(prompt.body, { file: prompt.path, firstLine: prompt.firstLine })
  const say = (values: TemplateValues): string => renderParsed(answer, values)
  return {
    ...{ description, usageHint: typeof usageHint === "string" ? usageHint : undefined, parameters: stringsOf(parameters), say },
    refuse: (values, evidence) => new PromptStrataError("tool-arguments", say(values), { evidence }),
  }
}

function findPrompt(prompts: readonly PromptSource[], locale: string, tool: string): PromptSource {
  const byLocale = new Map<string, PromptSource>()
  for (const prompt of prompts) {
    const [folder, promptLocale = "", file, ...deeper] = prompt.path.split("/")
    if (folder === "tools" && file === `${tool}.md` && deeper.length === 0) byLocale.set(promptLocale, prompt)
  }
  const found = byLocale.get(chooseLocale(locale, [...byLocale.keys()]) ?? "")
  if (found === undefined) {
    throw new PromptStrataError("prompt-missing", `Expected the prompt file tools/${locale}/${tool}.md, found none.`, {
      hint: "Write that file: front matter with a description, and the tool's answer as its body.",
      evidence: { locale, tool },
    })
  }
  return found
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"))
}
