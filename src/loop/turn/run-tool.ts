import { isRecord } from "../../core/json-access.ts"
import { takesMedia } from "../../core/model/language-model.ts"
import { defined, filled } from "../../core/value.ts"
import { quoted, reasonOf, renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../prompt/encode/inline.ts"
import { executeTool, type ToolFailure } from "../../prompt/tools/execute-tool.ts"
import { hasEnded, type Tool, type ToolAttachment, type ToolContext, type ToolRun } from "../../prompt/tools/tool.ts"
import { ParentHandle } from "./calls/parent-turn.ts"
import { fitResult } from "./fit-tool-text.ts"
import { askFirst, confirmOf, type RunningCall } from "./open-turn/ask-person.ts"
import * as shownAttachments from "./shown-attachments.ts"
import type { TurnContext } from "./turn-context.ts"
import type { ToolRequest } from "./turn-progress.ts"

/** Runs a tool. A failure becomes a failed run with a text that tells the planner what to do (T18). Never rejects. */
export async function runTool(turn: TurnContext, request: ToolRequest): Promise<ToolRun> {
  const { id, name, args, tool } = request
  if (!tool) {
    const { dialect } = turn.agent
    const names = turn.progress.tools.plannerTools.map((each) => quoted(each.name, dialect)).join(", ")
    const result = renderNotice(dialect, "unknown-tool", { tool: quoted(encodeInline(name), dialect), tools: names })
    return { id, tool: name, args, status: "failed", failure: "unknown-tool", result, durationMs: 0 }
  }
  // A turn that goes on has answers for its calls.
  if (tool.needsApproval || tool.outside || turn.input.resumes) {
    const refused = await askFirst(turn, request, tool)
    if (refused) return refused
  }
  const { journal } = request
  if (tool.writes) await journal?.began({ id, tool: name, args })
  const run = await runAllowed(turn, request, tool)
  if (journal && hasEnded(run)) await journal.ended(run)
  return run
}

async function runAllowed(turn: TurnContext, request: ToolRequest, tool: Tool): Promise<ToolRun> {
  const { id, name, args } = request
  const { dialect, ports, profile } = turn.agent
  const { maxResultCharacters } = profile.tools
  const attached: ToolAttachment[] = []
  const waiting = new AbortController()
  let isRunning = true
  const outcome = await executeTool(tool, args, {
    context: toolContext(turn, request, { isRunning: () => isRunning && !waiting.signal.aborted, attached, waiting }),
    signal: AbortSignal.any([turn.signal, waiting.signal]),
    timers: ports.timers,
    timeoutMs: profile.limits.toolMs,
    callTimeoutMs: request.timeoutMs,
    notice: (kept, total) => renderNotice(dialect, "result-truncated", { kept, total }),
    maxResultCharacters,
  })
  isRunning = false
  if (outcome.status === "failed") {
    const result = failureText(turn, outcome.failure)
    const isWaiting = waiting.signal.aborted && !turn.signal.aborted
    const failure = isWaiting ? "awaiting-approval" : outcome.failure.kind
    return { id, tool: name, args, status: "failed", failure, result, durationMs: outcome.durationMs }
  }
  const empty = outcome.result.trim() === ""
  const fitted = empty ? { result: renderNotice(dialect, "tool-no-result", {}) } : fitResult(turn, outcome.result)
  const capped = outcome.cappedFromCharacters ?? fitted.cappedFromCharacters
  if (attached.length > 0) turn.progress.shown ??= shownAttachments
  const parts = attached.length > 0 ? filled(await shownAttachments.resultParts(turn, name, attached)) : undefined
  const { durationMs } = outcome
  const shown = isRecord(outcome.args) ? outcome.args : args
  const marks = defined({ parts, empty: empty || undefined, cappedFromCharacters: capped })
  return { id, tool: name, args: shown, status: "ok", result: fitted.result, ...marks, durationMs }
}

function toolContext(
  turn: TurnContext,
  request: ToolRequest,
  { attached, ...run }: RunningCall & { readonly attached: ToolAttachment[] },
): Omit<ToolContext, "signal"> {
  const { input, agent, progress } = turn
  const { id, name } = request
  const { isRunning } = run
  return {
    key: input.key,
    turnId: input.turnId,
    clock: agent.ports.clock,
    ...((agent.confirm || agent.asking.later) && confirmOf(turn, request, run)),
    record(record) {
      progress.log.records.push(record)
      if (record.attachment?.base64 !== undefined && isRunning()) attached.push(record.attachment)
    },
    takes: (mediaType) => takesMedia(agent.models[0].capabilities.attachments ?? [], mediaType),
    progress: (share) => isRunning() && turn.emit({ type: "tool-progress", id, tool: name, progress: share }),
    parent: new ParentHandle(turn, { id, isRunning }),
    isShownWhole: (key) => !Object.hasOwn(progress.cut ?? {}, key),
    resultFits: (result) => fitResult(turn, result).cappedFromCharacters === undefined,
  }
}

function failureText({ agent: { dialect } }: TurnContext, failure: ToolFailure): string {
  const { kind } = failure
  if (kind === "threw") return reasonOf(failure.reason, dialect)
  if (kind === "timeout") return renderNotice(dialect, "tool-timeout", { seconds: failure.timeoutMs / 1000 })
  if (kind === "aborted") return ""
  return renderNotice(dialect, kind, { issues: failure.issues.map((issue) => quoted(issue, dialect)).join("; ") })
}
