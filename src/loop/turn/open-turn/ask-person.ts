import { checkShape } from "../../../core/check-options.ts"
import { messageOf } from "../../../core/errors.ts"
import { within } from "../../../core/timers.ts"
import { defined } from "../../../core/value.ts"
import { quoted, reasonOf, renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import { printArguments } from "../../../prompt/tools/call-arguments.ts"
import type { Confirm, ConfirmRequest, Tool, ToolContext, ToolRun } from "../../../prompt/tools/tool.ts"
import { type TurnContext, warn } from "../turn-context.ts"
import type { ToolRequest } from "../turn-progress.ts"
import { definitionOf, hashOf } from "./open-turn.ts"

/** A call while its tool works. */
export interface RunningCall {
  readonly isRunning: () => boolean
  /** Aborted once the call waits for the answer to a question of its own. */
  readonly waiting: AbortController
}

/**
 * Asks a person in the middle of a call. Where nobody answers at once and the turn can wait, the run ends, and the call waits like one
 * that needs an approval. It then runs anew from its beginning, and the questions that were allowed before are not asked again.
 */
export function confirmOf(
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

/**
 * Asks a person to allow a call that needs it. Returns undefined if the call may run, else a run that failed: `denied`, or
 * `awaiting-approval` if nobody has answered yet and the turn can wait.
 */
export async function askFirst(turn: TurnContext, request: ToolRequest, tool: Tool): Promise<ToolRun | undefined> {
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
