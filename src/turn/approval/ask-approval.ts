import { messageOf } from "../../core/errors.ts"
import { within } from "../../core/timers.ts"
import { renderNotice } from "../../dialect/render-notice.ts"
import { printArguments } from "../../tools/call-arguments.ts"
import type { Tool, ToolRun } from "../../tools/tool.ts"
import type { TurnContext } from "../turn-context.ts"
import { askPerson } from "./ask-person.ts"

/** A call that a person may have to allow. */
interface AskedCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly tool: Tool
}

/** Asks a person to allow a call that needs it. Returns undefined if the call may run, else a run that failed. */
export async function askApproval(turn: TurnContext, { id, name, args, tool }: AskedCall): Promise<ToolRun | undefined> {
  const { agent, signal } = turn
  const startedMs = agent.ports.clock.nowMs()
  const failed = (failure: NonNullable<ToolRun["failure"]>, result: string): ToolRun => {
    const durationMs = agent.ports.clock.nowMs() - startedMs
    return { id, tool: name, args, status: "failed", failure, result, durationMs }
  }
  const { dialect, profile, ports } = agent
  const needs = await within({ timeoutMs: profile.limits.toolMs, signal, timers: ports.timers }, () => needsApproval(tool, args))
  if (needs.status === "failed") return failed("threw", renderNotice(dialect, "tool-threw", { reason: messageOf(needs.error) }))
  if (needs.status === "timeout")
    return failed("timeout", renderNotice(dialect, "tool-timeout", { seconds: profile.limits.toolMs / 1000 }))
  if (needs.status === "aborted") return failed("aborted", "")
  if (!needs.value) return undefined
  const summary = `${name}(${printArguments(args)})`
  const answer = agent.confirm ? await askPerson(turn, agent.confirm, { id, tool: name, summary, args, signal }) : "unanswered"
  if (answer === "yes") return undefined
  return failed(
    "denied",
    renderNotice(dialect, "tool-denied", { refused: answer === "no", unanswered: answer !== "no", reason: "" }),
  )
}

/** False for arguments that do not fit: such a call does not run, so that nobody need be asked. */
async function needsApproval({ needsApproval: needs, check }: Tool, args: unknown): Promise<boolean> {
  const checked = await check(args)
  if (!checked.ok) return false
  return typeof needs === "function" ? (await needs(checked.value)) !== false : needs === true
}
