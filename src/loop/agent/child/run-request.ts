import { PromptStrataError } from "../../../core/errors.ts"
import { memoKind } from "../../../core/memo.ts"
import { type Assembler, createAssembler, memoOf } from "../../../prompt/assemble/assembler.ts"
import { formatFileReference } from "../../../prompt/encode/file-reference.ts"
import type { InjectionInput } from "../../../prompt/stack/injection.ts"
import type { ToolContext } from "../../../prompt/tools/tool.ts"
import type { TurnTrace } from "../../../trace/trace.ts"
import type { TurnAnswer, TurnEvent } from "../../../trace/turn-event.ts"
import { type ParentTurn, parentOf } from "../../turn/calls/parent-turn.ts"
import { runTurn } from "../../turn/run-turn.ts"
import type { AgentContext, TurnContext } from "../../turn/turn-context.ts"
import { traceOf } from "../../turn/turn-outcome.ts"
import { createTurnContext } from "../create-turn-context.ts"
import { startDeadline } from "../turn.ts"
import { type ChooseHints, usualHints } from "./hints.ts"

/** One call of a coarse tool. */
interface ChildRequest {
  /** The child's name, in its events and its trace. */
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
  { hints = usualHints, maxEvents = 2_000, args, ...call }: ChildRequest,
): Promise<string> {
  const { request } = args
  if (typeof request !== "string" || request.trim() === "")
    throw new PromptStrataError("tool-arguments", "expected request: what is to be done, in a sentence.")
  const parent = parentOf(call.context)
  if (!parent) throw noTurn(call.name)
  const parts = await child()
  const { agentName, question, history } = parent
  const chosen = hints({ request, agentName, question, history, injection: (key) => parent.injection(key) })
  return runChild(parts, { ...call, request, hints: chosen, maxEvents, parent })
}

function noTurn(tool: string): PromptStrataError {
  const message = `expected the tool ${tool} to be run by a turn of an agent, found a call without a turn.`
  const hint = "Give the tool to createAgent, or ask the agent itself with a session of its own."
  return new PromptStrataError("usage", message, { hint })
}

/** One call of a child, with what was chosen for it. */
interface ChildCall extends Omit<ChildRequest, "hints" | "args"> {
  readonly request: string
  readonly hints: readonly InjectionInput[]
  readonly maxEvents: number
  readonly parent: ParentTurn
}

/** The most agents that may call each other in a chain. The agent that talks with the user does not count. */
const maxDepth = 3

/** The assembler of a child in a session. */
const assemblers = memoKind<AgentContext["profile"], Assembler>()

/**
 * Runs one turn of a child and returns its answer (R25). The child has no history and no memory. Nothing is stored, and no hooks or
 * jobs follow the turn. Throws the error of the turn, and `usage` if too many agents call each other.
 */
async function runChild(agent: AgentContext, call: ChildCall): Promise<string> {
  const { name, parent } = call
  if (parent.depth >= maxDepth)
    throw new PromptStrataError("usage", `expected at most ${maxDepth} agents in a chain of calls; ${name} would be one more.`)
  let [told, leftOut] = [0, 0]
  // A child cannot fill its parent's log. Its end is always told.
  const tell = (event: TurnEvent): void => {
    if (told >= call.maxEvents && event.type !== "turn-end") leftOut++
    else {
      told++
      parent.tell(name, event)
    }
  }
  const turn = childTurn(agent, call, tell)
  if (call.tellsRuns) turn.progress.hooks.runListeners.push((run) => parent.tellRun(run))
  let ended: TurnTrace | undefined
  parent.begin({ name, trace: () => ended ?? traceOf(turn) })
  const result = await runTurn(turn)
  turn.deadline.close()
  ended = result.trace
  tell({ type: "turn-end", result })
  if (leftOut > 0) parent.warn(`${leftOut} events of ${name} were left out, beyond the first ${call.maxEvents}.`)
  if (!result.ok) throw result.error
  return withDrawnFiles(result, call)
}

/** The child's answer, with the names of the files that its model made; the caller's model gets them with the result. */
function withDrawnFiles({ text, attachments = [] }: TurnAnswer, { name, context }: ChildCall): string {
  const drawn = attachments.filter(({ blob }) => blob !== undefined)
  for (const { mediaType, bytes, base64 } of drawn) {
    const summary = `${mediaType}, ${bytes} bytes`
    context.record?.({ kind: "attachment", tool: name, summary, attachment: { mediaType, bytes, base64 } })
  }
  return [text, ...drawn.map(({ path }) => formatFileReference({ path }))].filter((line) => line !== "").join("\n")
}

/** Makes the context of the child's turn: with its own profile, tools, budget and limits, but the caller's key, messages, clock and `confirm`. */
function childTurn(
  agent: AgentContext,
  { name, request, hints, context, parent }: ChildCall,
  emit: (event: TurnEvent) => void,
): TurnContext {
  const { key, confirm, signal } = context
  const ports = { ...parent.ports, counter: agent.ports.counter }
  const stack = agent.stack.fork()
  for (const hint of hints) stack.add({ ...hint, scope: "turn" })
  const speaker = { id: key.agent, name: parent.agentName }
  const turnId = ports.ids.next("child")
  const nothing = { wake: undefined, attached: [], attachments: [], inject: [] }
  const input = { key, turnId, speaker, text: request.toWellFormed(), ...nothing, stack }
  const child = { process: name, depth: parent.depth + 1, messages: parent.messages }
  const deadline = startDeadline({ profile: agent.profile, ports }, signal)
  // What one call made is used by the next: the child's tools and instructions stay.
  const assembler = memoOf(parent.assembler).made(assemblers, agent.profile, createAssembler)
  return createTurnContext({ ...agent, ports, confirm }, input, { record: undefined, emit, deadline, child, assembler })
}
