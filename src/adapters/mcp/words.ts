import { PromptStrataError } from "../../core/errors.ts"
import type { PromptSource } from "../../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../../prompt/dialect/shipped-files.ts"
import type { TemplateValues } from "../../prompt/template/render.ts"
import { toolWords } from "../../prompt/tools/tool-words.ts"

/** The reasons why a call has no result, besides an error that the server reports. */
export type CallProblem = "stopped" | "unavailable" | "changed" | "gone"

/** The texts for a model, from `tools/LOCALE/mcp.md`. */
export type McpWords = ReturnType<typeof mcpWords>

export function mcpWords(locale: string, prompts: readonly PromptSource[] = shippedPrompts("tools", locale)) {
  const words = toolWords(prompts, locale, "mcp")
  const say = (values: TemplateValues): string => words.say(values).trim()
  return {
    say,
    problem: (kind: CallProblem) => new PromptStrataError("mcp", say({ [kind]: true }), { evidence: { kind } }),
    unreachable: (reason: string) =>
      new PromptStrataError("mcp", say({ unreachable: reason }), { evidence: { kind: "unreachable" } }),
  }
}
