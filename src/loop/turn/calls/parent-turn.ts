import type { HistoryMessage, Speaker } from "../../../core/conversation.ts"
import type { Ports } from "../../../core/ports.ts"
import type { Injection } from "../../../core/value.ts"
import type { ExplainableMemory } from "../../../memory/services/memory/explain-memories.ts"
import type { ReceiptRecords } from "../../../memory/services/store/records.ts"
import type { MessageFilter } from "../../../memory/services/store/session-store.ts"
import type { Wakes } from "../../../memory/services/wakes.ts"
import type { Assembler } from "../../../prompt/assemble/assembler.ts"
import type { ToolContext, ToolRun } from "../../../prompt/tools/tool.ts"
import type { TurnEvent } from "../../../trace/turn-event.ts"
import { type TurnContext, warn } from "../turn-context.ts"
import type { ChildRun } from "../turn-progress.ts"

/** The parts of a turn that an agent inside one of its tool calls can use (R25). */
export interface ParentTurn {
  /** The number of agents above the turn. */
  readonly depth: number
  readonly agentName: string
  readonly question: { readonly speaker: Speaker; readonly text: string }
  readonly history: readonly HistoryMessage[]
  readonly ports: Ports
  /** Remembers what the requests of the turn's session are made of, and of the agents in its calls. */
  readonly assembler: Assembler
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
  /** The memories that the turn may see. Undefined if the agent has none, or the conversation's memory is off (D2). */
  readonly memory: ExplainableMemory | undefined
  readonly receipts: ReceiptRecords
  /** Undefined where nothing can ring. */
  readonly wakes: Wakes | undefined
}

/**
 * Stands for a turn in the context of one tool call. It has no members that a tool could use. A private field, because a weak map keeps
 * the turn through young garbage collections.
 */
export class ParentHandle {
  readonly #turn: TurnContext
  readonly #call: RunningCall

  constructor(turn: TurnContext, call: RunningCall) {
    this.#turn = turn
    this.#call = call
    Object.freeze(this)
  }

  static parentOf(handle: object): ParentTurn | undefined {
    return #turn in handle ? parentTurn(handle.#turn, handle.#call) : undefined
  }
}

interface RunningCall {
  readonly id: string
  readonly isRunning: () => boolean
}

function parentTurn(turn: TurnContext, { id, isRunning }: RunningCall): ParentTurn {
  const { agent, input, depth, history, messages, stack, assembler } = turn
  return {
    depth,
    agentName: agent.profile.agent.name,
    question: { speaker: input.speaker, text: input.text },
    history,
    ports: agent.ports,
    assembler,
    messages,
    injection: (key) => stack.get(key),
    begin: (child) => void turn.progress.log.children.push({ ...child, id }),
    tell: (name, event) => isRunning() && turn.emit({ type: "child", id, name, event }),
    tellRun(run) {
      if (isRunning()) for (const listener of [...turn.progress.hooks.runListeners]) listener(run)
    },
    warn: (message) => isRunning() && warn(turn, "tool", message),
    memory: turn.session.memoryOn ? agent.memory : undefined,
    receipts: agent.receipts,
    wakes: agent.isStateless ? undefined : agent.wakes,
  }
}

/** The turn of a tool's context. Undefined outside a turn. */
export function parentOf({ parent }: ToolContext): ParentTurn | undefined {
  return parent && ParentHandle.parentOf(parent)
}
