import { renderNotice } from "../dialect/render-notice.ts"
import { encodeInline } from "../encode/inline.ts"
import { executeTool, type ToolFailure } from "../tools/execute-tool.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"
import { confirmation } from "./confirmation.ts"
import { fitResult } from "./fit-result.ts"
import { parentHandle } from "./parent-turn.ts"
import type { TurnRun } from "./turn-run.ts"

/** One call, as the planner or the profile asked for it. */
export interface ToolRequest {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Absent when there is no such tool. */
  readonly tool: Tool | undefined
  /** A limit for this call, before the tool's own. */
  readonly timeoutMs?: number
}

/** Runs a tool; whatever goes wrong becomes a failed run with words that the planner can act on (T18). Never rejects. */
export async function runTool(run: TurnRun, request: ToolRequest): Promise<ToolRun> {
  const { id, name, args, tool } = request
  if (!tool)
    return { id, tool: name, args, status: "failed", failure: "unknown-tool", result: unknownTool(run, name), durationMs: 0 }
  const { setup } = run
  const { dialect, ports, limits } = setup
  const confirm = confirmation(run)
  let isRunning = true
  const outcome = await executeTool(tool, args, {
    context: {
      key: setup.key,
      turnId: setup.turnId,
      clock: ports.clock,
      ...(confirm ? { confirm } : {}),
      record: (record) => run.records.push(record),
      progress: (progress) => isRunning && run.emit({ type: "tool-progress", id, tool: name, progress }),
      parent: parentHandle(run, { id, isRunning: () => isRunning }),
      isShownWhole: (key) => !Object.hasOwn(run.cut ?? {}, key),
      resultFits: (result) => fitResult(run, result).cappedFromCharacters === undefined,
    },
    signal: run.signal,
    timers: ports.timers,
    timeoutMs: limits.toolMs,
    ...(request.timeoutMs === undefined ? {} : { callTimeoutMs: request.timeoutMs }),
    notice: (kept, total) => renderNotice(dialect, "result-truncated", { kept, total }),
    ...(setup.maxResultCharacters === undefined ? {} : { maxResultCharacters: setup.maxResultCharacters }),
  })
  isRunning = false
  const { durationMs } = outcome
  if (outcome.status === "failed") {
    return {
      id,
      tool: name,
      args,
      status: "failed",
      failure: outcome.failure.kind,
      result: failureText(run, outcome.failure),
      durationMs,
    }
  }
  const empty = outcome.result.trim() === ""
  const fitted = empty ? { result: renderNotice(dialect, "tool-no-result", {}) } : fitResult(run, outcome.result)
  const capped = outcome.cappedFromCharacters ?? fitted.cappedFromCharacters
  return {
    id,
    tool: name,
    args: asRecord(outcome.args, args),
    status: "ok",
    result: fitted.result,
    ...(empty ? { empty: true as const } : {}),
    ...(capped === undefined ? {} : { cappedFromCharacters: capped }),
    durationMs,
  }
}

function unknownTool(run: TurnRun, name: string): string {
  const { tools } = run
  const { dialect } = run.setup
  const names = tools.plannerTools.map((tool) => tool.name).join(", ")
  return renderNotice(dialect, "unknown-tool", { tool: encodeInline(name), tools: names })
}

function failureText(run: TurnRun, failure: ToolFailure): string {
  const { dialect } = run.setup
  switch (failure.kind) {
    case "invalid-arguments":
      return renderNotice(dialect, "invalid-arguments", { issues: failure.issues.join("; ") })
    case "threw":
      return renderNotice(dialect, "tool-threw", { reason: failure.reason })
    case "timeout":
      return renderNotice(dialect, "tool-timeout", { seconds: failure.timeoutMs / 1000 })
    case "aborted":
      return ""
  }
}

function asRecord(value: unknown, otherwise: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : otherwise
}
