import { PromptStrataError } from "../../core/errors.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { ToolContext } from "../../tools/tool.ts"
import type { TurnTrace } from "../../trace/trace.ts"
import type { TurnResult } from "../../trace/turn-result.ts"
import type { ParentTurn } from "../../turn/parent-turn.ts"
import { runTurn } from "../../turn/run-turn.ts"
import type { TurnRun } from "../../turn/turn-run.ts"
import type { TurnSetup } from "../../turn/turn-setup.ts"
import type { AgentParts } from "../agent-parts.ts"
import { makeTurnSetup } from "../make-turn-setup.ts"
import { ChildEvents } from "./child-events.ts"

/** One call of a child. */
export interface ChildCall {
  /** The child's name: what its events and its trace stand under. */
  readonly name: string
  readonly request: string
  readonly hints: readonly InjectionInput[]
  readonly maxEvents: number
  readonly context: ToolContext
  readonly parent: ParentTurn
}

/** Agents one inside the other, the talking one not counted (chosen). */
const maxDepth = 3

/**
 * Runs one turn of a child and hands back what it said (R25): no history, no memory, nothing stored, nothing after it. Throws
 * what the turn failed with, and `usage` where agents call each other too deep.
 */
export async function runChild(parts: AgentParts, call: ChildCall): Promise<string> {
  const { name, parent, context } = call
  if (parent.depth >= maxDepth)
    throw new PromptStrataError("usage", `expected at most ${maxDepth} agents one inside the other; ${name} would be one more.`)
  const events = new ChildEvents(call.maxEvents, (event) => parent.tell(name, event))
  let ended: TurnTrace | undefined
  const onRun = (run: TurnRun): void => parent.begin({ name, trace: () => ended ?? run.trace() })
  const { result } = await runTurn(childSetup(parts, call), context.signal, (event) => events.take(event), onRun)
  ended = result.trace
  events.take({ type: "turn-end", result })
  if (events.leftOut > 0) parent.warn(`${events.leftOut} events of ${name} were left out: it told more than ${call.maxEvents}.`)
  return answerOf(result)
}

function answerOf(result: TurnResult): string {
  if (result.ok) return result.text
  throw result.error
}

/** The child's own profile, tools, budget and limits; the caller's key, conversation, time and way to ask. */
function childSetup(parts: AgentParts, { name, request, hints, context, parent }: ChildCall): TurnSetup {
  const { confirm: _, ...own } = parts
  const { key, confirm } = context
  const ports = { ...parent.ports, counter: parts.ports.counter }
  const stack = parts.stack.fork()
  for (const hint of hints) stack.add({ ...hint, scope: "turn" })
  const speaker = { id: key.agent, name: parent.agentName }
  const input = { key, turnId: ports.ids.next("child"), speaker, text: request.toWellFormed(), stack }
  const setup = makeTurnSetup({ ...own, ports, ...(confirm ? { confirm } : {}) }, input, undefined)
  const { messages, depth } = parent
  return { ...setup, messages, memoryOn: false, process: name, depth: depth + 1 }
}
