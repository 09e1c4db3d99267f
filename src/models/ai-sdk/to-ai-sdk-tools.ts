import { PromptStrataError } from "../../core/errors.ts"
import type { ServiceKey } from "../../core/keys.ts"
import type { Clock, Timers } from "../../core/ports.ts"
import { within } from "../../core/within.ts"
import type { Tool } from "../../tools/tool.ts"
import { hostClock, hostTimers } from "./host.ts"
import { toolNotices } from "./tool-notices.ts"
import { type AiSdkToolSchema, toolSchema } from "./tool-schema.ts"

/** A tool of the package `ai`, in the part that is set. */
export interface AiSdkTool {
  description: string
  inputSchema: AiSdkToolSchema
  execute(args: Readonly<Record<string, unknown>>, options: AiSdkToolOptions): Promise<unknown>
  toModelOutput(options: { output: unknown }): Promise<{ type: "text"; value: string }>
}

/** What the AI SDK hands a running tool, in the part that is read. */
export interface AiSdkToolOptions {
  toolCallId: string
  abortSignal?: AbortSignal
}

/** What tools run with outside a turn of this library. */
export interface ToAiSdkToolsOptions {
  /** Whose conversation it is. Default: one private conversation of one user. */
  readonly key?: ServiceKey
  /** The language of the words that stand for a cut or missing result. Default `en`. */
  readonly locale?: string
  readonly clock?: Clock
  readonly timers?: Timers
}

const defaultKey: ServiceKey = { agent: "ai-sdk", conversation: "ai-sdk", audience: "private", user: "user" }

/**
 * Tools as the `tools` of `streamText` and `ToolLoopAgent`. Arguments are checked; a run ends with the call's signal or the
 * tool's time limit; the app gets what the tool returned, the model its text within the tool's length limit. Prestart tools
 * are left out, since a model may not call them (T27).
 */
export function toAiSdkTools(tools: readonly Tool[], options: ToAiSdkToolsOptions = {}): Record<string, AiSdkTool> {
  const shown = tools.filter((tool) => tool.visibility === "planner")
  return Object.fromEntries(shown.map((tool) => [tool.name, aiSdkTool(tool, options)]))
}

function aiSdkTool(
  tool: Tool,
  { key = defaultKey, locale = "en", clock = hostClock, timers = hostTimers }: ToAiSdkToolsOptions,
): AiSdkTool {
  return {
    description: tool.description,
    inputSchema: toolSchema(tool),
    async execute(args, { toolCallId, abortSignal = new AbortController().signal }) {
      const run = (signal: AbortSignal) => {
        // Without this, a tool could still begin (and write) after the call was aborted.
        signal.throwIfAborted()
        return tool.execute(args, { key, turnId: toolCallId, clock, signal })
      }
      if (tool.timeoutMs === undefined) return run(abortSignal)
      const outcome = await within({ timeoutMs: tool.timeoutMs, signal: abortSignal, timers }, run)
      if (outcome.status === "done") return outcome.value
      if (outcome.status === "failed") throw outcome.error
      if (outcome.status === "aborted") throw abortSignal.reason
      throw new PromptStrataError("tool-timeout", (await toolNotices(locale)).timeout(tool.timeoutMs), {
        evidence: { tool: tool.name },
      })
    },
    async toModelOutput({ output }) {
      return { type: "text", value: (await toolNotices(locale)).resultText(tool, output) }
    },
  }
}
