import { checkShape } from "../../core/check-options.ts"
import { messageOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { takesMedia } from "../../core/model/language-model.ts"
import { within } from "../../core/timers.ts"
import { defined, filled } from "../../core/value.ts"
import { quoted, reasonOf, renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../prompt/encode/inline.ts"
import { printArguments } from "../../prompt/tools/call-arguments.ts"
import { executeTool, type ToolFailure } from "../../prompt/tools/execute-tool.ts"
import type { Confirm, ConfirmRequest, Tool, ToolAttachment, ToolContext, ToolRun } from "../../prompt/tools/tool.ts"
import { ParentHandle } from "./calls/parent-turn.ts"
import type { TurnJournal } from "./calls/turn-journal.ts"
import { fitResult } from "./fit-tool-text.ts"
import { definitionOf, hashOf } from "./open-turn/open-turn.ts"
import * as shownAttachments from "./shown-attachments.ts"
import { type TurnContext, warn } from "./turn-context.ts"

/** A tool call of the planner or of the profile. */
export interface ToolRequest {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Undefined if there is no such tool. */
  readonly tool: Tool | undefined
  /** True if the turn can wait until a person allows the call. Default: the call is refused if nobody answers. */
  readonly canWait?: boolean
  /** A time limit for this call, in place of the tool's own. */
  readonly timeoutMs?: number
  /** Keeps that the tool began and how it ended. */
  readonly journal?: TurnJournal | undefined
}

/** Runs a tool. A failure becomes a failed run with a text that tells the planner what to do (T18). Never rejects. */
export async function runTool(turn: TurnContext, request: ToolRequest): Promise<ToolRun> {
  const { id, name, args, tool } = request
  if (!tool) {
    const { dialect } = turn.agent
    const names = turn.progress.tools.plannerTools.map((each) => quoted(each.name, dialect)).join(", ")
    const result = renderNotice(dialect, "unknown-tool", { tool: quoted(encodeInline(name), dialect), tools: names })
    return { id, tool: name, args, status: "failed", failure: "unknown-tool", result, durationMs: 0 }
  }
  if (tool.needsApproval || tool.outside || openCall(turn, id)) {
    const refused = await askApproval(turn, request, tool)
    if (refused) return refused
  }
  const { journal } = request
  if (tool.writes) await journal?.began({ id, tool: name, args })
  const run = await runAllowed(turn, request, tool)
  if (run.failure !== "awaiting-approval") await journal?.ended(run)
  return run
}

/** The call as it waited, in a turn that goes on with its answer. Once it has ended, a later call under its id is another one. */
const openCall = ({ input, progress }: TurnContext, id: string) =>
  progress.runs.some((run) => run.id === id) ? undefined : input.resumes?.open.calls.find(({ callId }) => callId === id)

/** The questions of a call that were allowed before: hashes of those that it asked, and {@link wholeCall}. */
function allowedIn(turn: TurnContext, id: string): readonly string[] {
  const { answer, questions = [wholeCall] } = openCall(turn, id) ?? {}
  return answer?.approved ? questions : []
}

/** Stands for the approval that a call needs before it begins. */
const wholeCall = "call"

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
    ...confirmOf(turn, request, run),
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

interface RunningCall {
  readonly isRunning: () => boolean
  /** Aborted once the call waits for the answer to a question of its own. */
  readonly waiting: AbortController
}

/**
 * Asks a person in the middle of a call. Where nobody answers at once and the turn can wait, the run ends, and the call waits like one
 * that needs an approval. It then runs anew from its beginning, and the questions that were allowed before are not asked again.
 */
function confirmOf(
  turn: TurnContext,
  request: ToolRequest,
  { isRunning, waiting }: RunningCall,
): Pick<ToolContext, "confirm" | "wasAllowed"> {
  const { agent, input, progress } = turn
  const { id, name, args, tool } = request
  const mayWait = request.canWait && agent.asking.later && tool?.runsAgent !== true ? tool : undefined
  if (!agent.confirm && !mayWait) return {}
  const allowed = allowedIn(turn, id)
  let count = 0
  const wasAllowed: ToolContext["wasAllowed"] = ({ summary, detail }) => allowed.includes(hashOf([count, summary, detail]))
  const confirm: Confirm = async (given, signal) => {
    const request = { tool: "string", summary: "string", "detail?": "string" }
    checkShape("confirm", { request: given, signal }, { request, signal: "object" })
    const { summary, detail, ...asked } = given
    const question = hashOf([count++, summary, detail])
    if (allowed.includes(question)) return true
    const answer =
      agent.confirm && (await askPerson(turn, agent.confirm, { ...asked, summary, ...defined({ detail }), id, signal }))
    if (answer === "yes" || answer === "no" || !mayWait) return answer === "yes"
    if (isRunning() && !signal.aborted) {
      const open = { id: `${input.turnId}:${id}:${question}`, callId: id, tool: name, args, askedMs: agent.ports.clock.nowMs() }
      progress.open.calls.push({ ...open, summary, detail, definition: definitionOf(mayWait), questions: [...allowed, question] })
      waiting.abort()
    }
    throw new DOMException("Nobody has answered yet.", "AbortError")
  }
  return { confirm, ...(allowed.length > 0 && { wasAllowed }) }
}

function failureText({ agent: { dialect } }: TurnContext, failure: ToolFailure): string {
  const { kind } = failure
  if (kind === "threw") return reasonOf(failure.reason, dialect)
  if (kind === "timeout") return renderNotice(dialect, "tool-timeout", { seconds: failure.timeoutMs / 1000 })
  if (kind === "aborted") return ""
  return renderNotice(dialect, kind, { issues: failure.issues.map((issue) => quoted(issue, dialect)).join("; ") })
}

/**
 * Asks a person to allow a call that needs it. Returns undefined if the call may run, else a run that failed: `denied`, or
 * `awaiting-approval` if nobody has answered yet and the turn can wait.
 */
async function askApproval(turn: TurnContext, request: ToolRequest, tool: Tool): Promise<ToolRun | undefined> {
  const { id, name, args, canWait } = request
  const { agent, signal } = turn
  const startedMs = agent.ports.clock.nowMs()
  const failed = (failure: NonNullable<ToolRun["failure"]>, result: string): ToolRun => {
    const durationMs = agent.ports.clock.nowMs() - startedMs
    return { id, tool: name, args, status: "failed", failure, result, durationMs }
  }
  const { dialect, profile, ports } = agent
  if (allowedIn(turn, id).includes(wholeCall)) return undefined
  const given = openCall(turn, id)?.answer
  const isRefused = given?.approved === false
  const check = () => isRefused || needsApproval(tool, args)
  const needs = await within({ timeoutMs: profile.limits.toolMs, signal, timers: ports.timers }, check)
  if (needs.status === "failed") return failed("threw", reasonOf(messageOf(needs.error), dialect))
  if (needs.status === "timeout")
    return failed("timeout", renderNotice(dialect, "tool-timeout", { seconds: profile.limits.toolMs / 1000 }))
  if (needs.status === "aborted") return failed("aborted", "")
  if (!needs.value) return undefined
  const summary = `${name}(${printArguments(args)})`
  const answer = isRefused
    ? "no"
    : agent.confirm && !tool.outside
      ? // A copy: what runs are the arguments that were checked, whatever the program that asks does to its own.
        await askPerson(turn, agent.confirm, { id, tool: name, summary, args: structuredClone(args), signal })
      : undefined
  if (answer === "yes") return undefined
  signal.throwIfAborted()
  if (answer !== "no" && canWait) {
    const asked = { id: `${turn.input.turnId}:${id}`, callId: id, tool: name, args, summary, askedMs: ports.clock.nowMs() }
    turn.progress.open.calls.push({ ...asked, definition: definitionOf(tool), outside: tool.outside })
    return failed("awaiting-approval", "")
  }
  const reason = given?.reason === undefined || given.reason === "" ? "" : quoted(encodeInline(given.reason), dialect)
  return failed("denied", renderNotice(dialect, "tool-denied", { refused: answer === "no", unanswered: answer !== "no", reason }))
}

/** False for arguments that do not fit: such a call does not run, so that nobody need be asked. */
async function needsApproval({ needsApproval: needs, outside, check }: Tool, args: unknown): Promise<boolean> {
  const checked = await check(args)
  if (!checked.ok) return false
  if (outside) return true
  return typeof needs === "function" ? (await needs(checked.value)) !== false : needs === true
}

/**
 * Asks a person about a call. The turn's time limit pauses meanwhile. No answer within `limits.confirmMs` is reported, and so is a
 * question that fails; neither is consent.
 */
async function askPerson(
  turn: TurnContext,
  confirm: Confirm,
  { signal, ...request }: ConfirmRequest & { readonly id: string; readonly signal: AbortSignal },
): Promise<"yes" | "no" | "unanswered"> {
  const { ports, profile } = turn.agent
  const { id, tool, summary } = request
  const { confirmMs } = profile.limits
  const resume = turn.deadline.pause()
  turn.emit({ type: "confirm-start", id, request })
  const asked = await within({ timeoutMs: confirmMs, signal, timers: ports.timers }, (askSignal) =>
    confirm({ ...request, key: turn.input.key }, askSignal),
  )
  resume()
  const confirmed = asked.status === "done" && asked.value === true
  if (asked.status === "failed") warn(turn, "tool", `${tool} could not ask about "${summary}": ${messageOf(asked.error)}`)
  if (asked.status === "timeout") warn(turn, "tool", `${tool} asked about "${summary}" and got no answer within ${confirmMs} ms.`)
  turn.emit({ type: "confirm-end", id, request, confirmed })
  if (asked.status !== "done") return "unanswered"
  return confirmed ? "yes" : "no"
}
