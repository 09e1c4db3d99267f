import { PromptStrataError } from "../../../core/errors.ts"
import type { ToolContext } from "../../../prompt/tools/tool.ts"
import { parentOf } from "../../turn/calls/parent-turn.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { type ChooseHints, usualHints } from "./hints.ts"
import { runChild } from "./run-child.ts"

const defaultMaxEvents = 2_000

/** One call of a coarse tool. */
interface ChildRequest {
  readonly name: string
  /** Default: {@link usualHints}. */
  readonly hints: ChooseHints | undefined
  /** Default 2,000. */
  readonly maxEvents?: number | undefined
  /** True if the caller's hooks hear of the child's tool runs, because the tools are the caller's. */
  readonly tellsRuns?: boolean
  readonly args: Readonly<Record<string, unknown>>
  readonly context: ToolContext
}

/** Runs a child for one call of its tool. `child` is asked for when the call is known to be one that a child can answer. */
export async function runRequest(
  child: () => Promise<AgentContext>,
  { name, hints = usualHints, maxEvents = defaultMaxEvents, args, context, tellsRuns = false }: ChildRequest,
): Promise<string> {
  const { request } = args
  if (typeof request !== "string" || request.trim() === "")
    throw new PromptStrataError("tool-arguments", "expected request: what is to be done, in a sentence.")
  const parent = parentOf(context)
  if (!parent) throw noTurn(name)
  const parts = await child()
  const { agentName, question, history } = parent
  const chosen = hints({ request, agentName, question, history, injection: (key) => parent.injection(key) })
  return runChild(parts, { name, request, hints: chosen, maxEvents, tellsRuns, context, parent })
}

function noTurn(tool: string): PromptStrataError {
  const message = `expected the tool ${tool} to be run by a turn of an agent, found a call without a turn.`
  const hint = "Give the tool to createAgent, or ask the agent itself with a session of its own."
  return new PromptStrataError("usage", message, { hint })
}
