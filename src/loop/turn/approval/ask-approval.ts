import { messageOf } from "../../../core/errors.ts"
import { within } from "../../../core/timers.ts"
import { quoted, reasonOf, renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import { printArguments } from "../../../prompt/tools/call-arguments.ts"
import type { Confirm, ConfirmRequest, Tool, ToolRun } from "../../../prompt/tools/tool.ts"
import { type TurnContext, warn } from "../turn-context.ts"
import { definitionOf } from "./open-approval.ts"

/** A call that a person may have to allow. */
interface AskedCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly tool: Tool
  /** True if the turn can end here and go on once somebody has answered. */
  readonly canWait: boolean
}

/**
 * Asks a person to allow a call that needs it. Returns undefined if the call may run, else a run that failed: `denied`, or
 * `awaiting-approval` if nobody has answered yet and the turn can wait.
 */
export async function askApproval(turn: TurnContext, { id, name, args, tool, canWait }: AskedCall): Promise<ToolRun | undefined> {
  const { agent, signal } = turn
  const startedMs = agent.ports.clock.nowMs()
  const failed = (failure: NonNullable<ToolRun["failure"]>, result: string): ToolRun => {
    const durationMs = agent.ports.clock.nowMs() - startedMs
    return { id, tool: name, args, status: "failed", failure, result, durationMs }
  }
  const { dialect, profile, ports } = agent
  const needs = await within({ timeoutMs: profile.limits.toolMs, signal, timers: ports.timers }, () => needsApproval(tool, args))
  if (needs.status === "failed") return failed("threw", reasonOf(messageOf(needs.error), dialect))
  if (needs.status === "timeout")
    return failed("timeout", renderNotice(dialect, "tool-timeout", { seconds: profile.limits.toolMs / 1000 }))
  if (needs.status === "aborted") return failed("aborted", "")
  if (!needs.value) return undefined
  const summary = `${name}(${printArguments(args)})`
  const given = turn.input.resumes?.open.calls.find(({ callId }) => callId === id)?.answer
  if (given?.approved) return undefined
  const answer = given
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
export async function askPerson(
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
