import type { HistoryMessage, Speaker } from "../core/conversation.ts"
import type { Ports } from "../core/ports.ts"
import type { Injection } from "../core/value.ts"
import type { MessageFilter } from "../services/store/session-store.ts"
import type { ToolContext, ToolRun } from "../tools/tool.ts"
import type { TurnEvent } from "../trace/turn-event.ts"
import { type ChildRun, type TurnContext, warn } from "./turn-context.ts"

/** The parts of a turn that an agent inside one of its tool calls can use (R25). */
export interface ParentTurn {
  /** The number of agents above the turn. */
  readonly depth: number
  readonly agentName: string
  readonly question: { readonly speaker: Speaker; readonly text: string }
  readonly history: readonly HistoryMessage[]
  readonly ports: Ports
  /** The conversation's messages, those outside the window too. */
  messages(filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** The item of the turn's stack under a key. */
  injection(key: string): Injection | undefined
  /** Adds a child to the turn's trace. */
  begin(child: Omit<ChildRun, "id">): void
  /** Emits an event of the child. Does nothing once the call has ended. */
  tell(name: string, event: TurnEvent): void
  /** Tells the hooks of the turn of a run of one of its tools. Does nothing once the call has ended. */
  tellRun(run: ToolRun): void
  warn(message: string): void
}

const handles = new WeakMap<object, ParentTurn>()

/** Makes the object that stands for a turn in the context of one tool call. It has no members; {@link parentOf} finds the turn. */
export function parentHandle(turn: TurnContext, call: { readonly id: string; readonly isRunning: () => boolean }): object {
  const { agent, input, depth, history, messages, stack } = turn
  const { id, isRunning } = call
  const parent: ParentTurn = {
    depth,
    agentName: agent.profile.agent.name,
    question: { speaker: input.speaker, text: input.text },
    history,
    ports: agent.ports,
    messages,
    injection: (key) => stack.get(key),
    begin: (child) => void turn.progress.children.push({ ...child, id }),
    tell: (name, event) => isRunning() && turn.emit({ type: "child", id, name, event }),
    tellRun(run) {
      if (isRunning()) for (const listener of turn.progress.runListeners) listener(run)
    },
    warn: (message) => isRunning() && warn(turn, "tool", message),
  }
  const handle = Object.freeze({})
  handles.set(handle, parent)
  return handle
}

/** The turn of a tool's context. Undefined outside a turn. */
export function parentOf({ parent }: ToolContext): ParentTurn | undefined {
  return parent && handles.get(parent)
}
