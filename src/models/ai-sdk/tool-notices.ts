import { capResult, defaultMaxResultCharacters, normaliseResult } from "../../tools/result-text.ts"
import type { Tool } from "../../tools/tool.ts"

/** What a model reads about a tool's run, in the words of the shipped prompts. */
export interface ToolNotices {
  /** A returned value as text within the tool's limit, with visible words where it was cut or is blank. */
  resultText(tool: Tool, returned: unknown): string
  timeout(timeoutMs: number): string
}

/** The words of a locale; the prompts are loaded with the first result. */
export async function toolNotices(locale: string): Promise<ToolNotices> {
  const { shippedDialect } = await import("../../dialect/shipped.ts")
  const { renderNotice } = await import("../../dialect/render-notice.ts")
  const dialect = shippedDialect("stack", locale)
  return {
    resultText({ maxResultCharacters = defaultMaxResultCharacters }, returned) {
      const notice = (kept: number, total: number) => renderNotice(dialect, "result-truncated", { kept, total })
      const { text } = capResult(normaliseResult(returned), maxResultCharacters, notice)
      return text.trim() === "" ? renderNotice(dialect, "tool-no-result", {}) : text
    },
    timeout: (timeoutMs) => renderNotice(dialect, "tool-timeout", { seconds: timeoutMs / 1000 }),
  }
}
