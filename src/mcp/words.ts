import { PromptStrataError } from "../core/errors.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import { shippedPrompts } from "../dialect/shipped.ts"
import { renderTemplate, type TemplateValues } from "../template/render.ts"
import { toolWords } from "../tools/tool-words.ts"

/** Why a call has no result, apart from what the server itself says. */
export type CallProblem = "stopped" | "unavailable" | "changed" | "gone"

/** What a model is told, from `tools/LOCALE/mcp.md`. */
export interface McpWords {
  say(values: TemplateValues): string
  problem(kind: CallProblem): PromptStrataError
  unreachable(reason: string): PromptStrataError
}

/** The words in a language. */
export function mcpWords(locale: string, prompts: readonly PromptSource[] = shippedPrompts()): McpWords {
  const { answer } = toolWords(prompts, locale, "mcp")
  const say = (values: TemplateValues): string => renderTemplate(answer, values).trim()
  return {
    say,
    problem: (kind) => new PromptStrataError("mcp", say({ [kind]: true }), { evidence: { kind } }),
    unreachable: (reason) => new PromptStrataError("mcp", say({ unreachable: reason }), { evidence: { kind: "unreachable" } }),
  }
}
