import { executeTool, type ToolOutcome } from "../../../../src/prompt/tools/execute-tool.ts"
import type { Tool } from "../../../../src/prompt/tools/tool.ts"

/** Runs a tool to its end, as a turn does, without a time limit that could fire. */
export function runTool(tool: Tool, args: unknown, signal: AbortSignal = new AbortController().signal): Promise<ToolOutcome> {
  return executeTool(tool, args, {
    context: { key: { agent: "a", conversation: "c", audience: "private", user: "u" }, turnId: "t", clock: { nowMs: () => 0 } },
    signal,
    timers: { set: () => undefined, clear: () => {} },
    timeoutMs: 1,
    notice: () => "…",
  })
}

/** The result, or the reason of the failure behind `failed: `. */
export async function answerOf(tool: Tool, args: unknown): Promise<string> {
  const outcome = await runTool(tool, args)
  if (outcome.status === "ok") return outcome.result
  const { failure } = outcome
  return `failed: ${failure.kind === "threw" ? failure.reason : JSON.stringify(failure)}`
}
