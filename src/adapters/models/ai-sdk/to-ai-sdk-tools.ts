import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { checkOptions, checkShape } from "../../../core/check-options.ts"
import type { ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { recordOf } from "../../../core/json-access.ts"
import { type Clock, hostTimers, type Timers } from "../../../core/ports.ts"
import { within } from "../../../core/timers.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { shippedDialect } from "../../../prompt/dialect/shipped.ts"
import type { TemplateValues } from "../../../prompt/template/render.ts"
import { capResult, defaultMaxResultCharacters, normaliseResult } from "../../../prompt/tools/execute-tool.ts"
import type { Tool } from "../../../prompt/tools/tool.ts"

/** A tool of the package `ai`, with the fields that are set here. */
export interface AiSdkTool {
  description: string
  inputSchema: AiSdkToolSchema
  /** The app asks then, as for any tool of the AI SDK. */
  needsApproval?: boolean | ((args: unknown) => boolean | PromiseLike<boolean>)
  execute(args: Readonly<Record<string, unknown>>, options: { toolCallId: string; abortSignal?: AbortSignal }): Promise<unknown>
  toModelOutput(options: { output: unknown }): Promise<{ type: "text"; value: string }>
}

/** A schema that the AI SDK takes: it checks arguments and converts to JSON Schema. */
interface AiSdkToolSchema {
  readonly "~standard": StandardSchemaV1.Props<unknown, Readonly<Record<string, unknown>>> &
    StandardJSONSchemaV1.Props<unknown, Readonly<Record<string, unknown>>>
}

/** Options of {@link toAiSdkTools}, for everything that a turn of this library would give the tools. */
export interface ToAiSdkToolsOptions {
  /** The conversation. Default: a private conversation of one user. */
  readonly key?: ServiceKey
  /** The language of the notices for a result that is cut or empty and for a timeout. Default `en`. */
  readonly locale?: string
  readonly clock?: Clock
  readonly timers?: Timers
}

const defaultKey: ServiceKey = { agent: "ai-sdk", conversation: "ai-sdk", audience: "private", user: "user" }

/**
 * Returns tools as the `tools` of `streamText` and `ToolLoopAgent`. Arguments are checked. A run ends with the call's signal or
 * at the tool's time limit, which throws `tool-timeout`. The app gets the returned value, and the model its text within the
 * tool's length limit. Prestart tools are left out, since a model may not call them (T27). Throws `usage` for an unknown option.
 */
export function toAiSdkTools(tools: readonly Tool[], options: ToAiSdkToolsOptions = {}): Record<string, AiSdkTool> {
  checkShape("the tools of toAiSdkTools", tools, [{ name: "string", description: "string", execute: "function" }])
  checkOptions("toAiSdkTools", options, "key locale clock timers")
  const callable = tools.filter((tool) => tool.visibility === "planner")
  return Object.fromEntries(callable.map((tool) => [tool.name, aiSdkTool(tool, options)]))
}

function aiSdkTool(tool: Tool, options: ToAiSdkToolsOptions): AiSdkTool {
  const { key = defaultKey, locale = "en", clock = { nowMs: () => Date.now() }, timers = hostTimers } = options
  return {
    // As in a native request, the usage hint has no other place.
    description: [tool.description, tool.usageHint ?? ""].filter((text) => text.trim() !== "").join("\n"),
    inputSchema: toolSchema(tool),
    ...(tool.needsApproval && { needsApproval: tool.needsApproval }),
    async execute(args, { toolCallId, abortSignal = new AbortController().signal }) {
      const run = (signal: AbortSignal) => {
        // Without this, a tool could still start (and write) after the call was aborted.
        signal.throwIfAborted()
        return tool.execute(args, { key, turnId: toolCallId, clock, signal })
      }
      if (tool.timeoutMs === undefined) return run(abortSignal)
      const outcome = await within({ timeoutMs: tool.timeoutMs, signal: abortSignal, timers }, run)
      if (outcome.status === "done") return outcome.value
      if (outcome.status === "failed") throw outcome.error
      if (outcome.status === "aborted") throw abortSignal.reason
      const notice = notices(locale)
      throw new PromptStrataError("tool-timeout", notice("tool-timeout", { seconds: tool.timeoutMs / 1000 }), {
        evidence: { tool: tool.name, timeoutMs: tool.timeoutMs },
      })
    },
    toModelOutput: async ({ output }) => ({ type: "text", value: await resultText(tool, output, locale) }),
  }
}

/** The arguments are checked as in a turn, with defaults filled in. */
function toolSchema(tool: Tool): AiSdkToolSchema {
  const jsonSchema = () => ({ ...tool.inputSchema })
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      async validate(value) {
        const checked = await tool.check(value)
        if (!checked.ok) return { issues: checked.issues.map((message) => ({ message })) }
        return { value: recordOf(checked.value) }
      },
    },
  }
}

/** Returns a result as text within the tool's limit, with a notice when it was cut or is blank. */
async function resultText(tool: Tool, returned: unknown, locale: string): Promise<string> {
  const { maxResultCharacters = defaultMaxResultCharacters } = tool
  const notice = notices(locale)
  const cutNotice = (kept: number, total: number) => notice("result-truncated", { kept, total })
  const { text } = capResult(normaliseResult(returned), maxResultCharacters, cutNotice)
  return text.trim() === "" ? notice("tool-no-result", {}) : text
}

/** The notices of the shipped prompts. */
function notices(locale: string) {
  const dialect = shippedDialect("stack", locale)
  return (name: string, values: TemplateValues): string => renderNotice(dialect, name, values)
}
