import { PromptStrataError } from "../core/errors.ts"
import { chooseLocale } from "../dialect/locales.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import type { Template } from "../template/ast.ts"
import { parseTemplate } from "../template/parse.ts"

/** What a built-in tool says to a model, from its prompt file. */
export interface ToolWords {
  readonly description: string
  readonly usageHint?: string
  /** Descriptions by parameter name. */
  readonly parameters: Readonly<Record<string, string>>
  /** What it answers and what its errors say; the tool decides which values it holds. */
  readonly answer: Template
}

/**
 * The words of a built-in tool from `tools/<locale>/<tool>.md`. A locale without such a file gets its language's, else
 * the fallback of `chooseLocale`. Throws `prompt-missing` when there is none at all, `front-matter` when one lacks its description.
 */
export function toolWords(prompts: readonly PromptSource[], locale: string, tool: string): ToolWords {
  const prompt = findPrompt(prompts, locale, tool)
  const { description, usage_hint: usageHint, parameters } = prompt.attributes
  if (typeof description !== "string") throw withoutDescription(prompt)
  return {
    description,
    ...(typeof usageHint === "string" ? { usageHint } : {}),
    parameters: stringsOf(parameters),
    answer: parseTemplate(prompt.body, { file: prompt.path, firstLine: prompt.firstLine }),
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
      hint: `Write it: front matter with a description, and the tool's answer as its body.`,
      evidence: { locale, tool },
    })
  }
  return found
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"))
}

function withoutDescription(prompt: PromptSource): PromptStrataError {
  return new PromptStrataError("front-matter", "Expected a `description` (text) in the front matter of this tool's prompt.", {
    source: { file: prompt.path, line: 1 },
  })
}
