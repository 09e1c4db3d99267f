import type { AttachmentInput } from "../../../../core/conversation.ts"
import type { Clock } from "../../../../core/ports.ts"
import type { Assembly } from "../../../../core/span.ts"
import type { Injection } from "../../../../core/value.ts"
import { Session } from "../../../../loop/agent/session.ts"
import type { AgentContext } from "../../../../loop/turn/turn-context.ts"
import { createKeyedQueue } from "../../../../memory/services/keyed-queue.ts"
import type { MemoryRecall } from "../../../../memory/services/memory/memory-service.ts"
import type { SessionRecord, SessionStore } from "../../../../memory/services/store/session-store.ts"
import type { BeforeTurnContext, TurnHook } from "../../../../memory/services/turn-hook.ts"
import { withoutContext } from "../../../../prompt/dialect/dialect.ts"
import { canonicalArguments } from "../../../../prompt/tools/call-arguments.ts"
import type { Tool, ToolRun } from "../../../../prompt/tools/tool.ts"
import { createToolSet } from "../../../../prompt/tools/tool-set.ts"
import { type RecordParts, turnRecord } from "../build-record.ts"
import { Recorder } from "../recorder.ts"
import type { TurnRecord } from "../turn-record.ts"

/** Everything of a turn that it takes to assemble or run it again. */
export interface ReplayableTurn
  extends Pick<
    TurnRecord,
    "id" | "session" | "speaker" | "question" | "startedMs" | "prestart" | "tools" | "recalled" | "attachments"
  > {
  /** The items on the session's stack when the turn began, and those that were given with it. */
  readonly items: readonly Injection[]
  /** The prompt file of its first request. */
  readonly prompt: string
}

/** The changes to a request that is assembled again. */
interface PreviewChanges {
  /** Tokens that the request may have; absent: the profile's budget. */
  readonly budgetTokens?: number | undefined
  /** Keys of injections to leave out. */
  readonly off?: readonly string[]
}

/**
 * Assembles the first request of a turn again, with changes. Prestart tools and recall are not run: they return what they returned in the
 * turn. Hooks run, on the session's state as it stands now. No model is called and nothing is kept.
 */
export async function previewAgain(
  agent: AgentContext,
  turn: ReplayableTurn,
  { budgetTokens, off = [] }: PreviewChanges = {},
): Promise<Assembly> {
  const { profile, dialect } = agent
  const budget =
    budgetTokens === undefined ? profile.budget : { ...profile.budget, tokens: budgetTokens + profile.budget.answerTokens }
  const changed = { ...agent, profile: { ...profile, budget }, dialect: withoutContext(dialect, off) }
  const context = contextAgain(changed, turn, { isPlanned: () => false })
  return sessionAgain(context, turn).preview(turn.question, { prompt: turn.prompt, ...saidWith(turn) })
}

/** Assembles every prompt with which a request of the agent can begin. Throws if one of them cannot be printed. */
export async function assembleAll(agent: AgentContext): Promise<void> {
  const { profile, ports, dialect } = agent
  const session = { agent: profile.agent.id, conversation: "check", audience: "private" } as const
  const nothing = { prestart: [], tools: [], recalled: [], items: [] }
  const turn = { id: "check", session, question: "?", startedMs: ports.clock.nowMs(), ...nothing }
  for (const prompt of ["planner", "native", "chat", "final"])
    if (dialect.files.has(prompt))
      await previewAgain(agent, { ...turn, prompt, speaker: { id: "check", name: profile.user.name } })
}

/**
 * The context of an agent for one turn again. Its store holds the conversation as it was before the turn, and takes nothing. No tool acts: a call
 * gets what a call with these arguments got in the turn. Hooks run before the turn and not after it.
 */
function contextAgain(
  agent: AgentContext,
  turn: ReplayableTurn,
  { isPlanned }: { /** True once the model was asked. */ readonly isPlanned: () => boolean },
): AgentContext {
  const { profile, tools, ports, memory, hooks, store, blobs } = agent
  const { recalled, startedMs } = turn
  const recorded = (list: readonly Tool[]): readonly Tool[] => list.map((tool) => recordedTool(tool, turn, isPlanned))
  const recall: MemoryRecall = {
    recall: async () => recalled.map(({ why: _, ...found }, at) => ({ ...found, id: found.id ?? String(at) })),
  }
  return {
    ...agent,
    isStateless: true,
    tools: createToolSet(recorded(tools.tools)),
    hooks: hooks.map((hook) => hookBefore(hook, recorded)),
    memory: memory || (profile.memory.enabled && recalled.length > 0) ? recall : undefined,
    store: storeBefore(store, turn),
    blobs: { get: (...given) => blobs.get(...given), put: async () => ({ id: "" }) },
    jobs: [],
    ports: { ...ports, clock: { nowMs: () => startedMs } },
    tellObservers: undefined,
    inspection: {},
    // Not behind the conversation's own turns, nor they behind this one.
    turns: createKeyedQueue(),
    background: createKeyedQueue(),
  }
}

/** The session of a turn again. */
function sessionAgain(context: AgentContext, { session }: ReplayableTurn): Session {
  return new Session(context, context, session)
}

/** Everything that came with a turn's words: its speaker, its files, and the items that the agent does not bring itself. */
export function saidWith({ speaker, attachments = [], items }: ReplayableTurn) {
  return {
    from: speaker,
    attachments: attachments.map(({ name, mediaType, blob, url }): AttachmentInput => {
      const look = { name, mediaType }
      return blob !== undefined ? { ...look, blob } : url !== undefined ? { ...look, url } : { path: name }
    }),
    inject: items.filter(({ scope }) => scope !== "global"),
  }
}

/** A tool that does nothing. Before the model is asked, it returns what it returned before the turn's first plan, whatever its arguments. */
function recordedTool(tool: Tool, { prestart, tools }: ReplayableTurn, isPlanned: () => boolean): Tool {
  const own = [...prestart, ...tools].filter((run) => run.tool === tool.name)
  const execute = (args: unknown): string => {
    const called = canonicalArguments(args)
    const same = own.findLast((run) => canonicalArguments(run.args) === called)
    return resultOf(same ?? (isPlanned() ? undefined : prestart.find((run) => run.tool === tool.name)))
  }
  return { ...tool, needsApproval: undefined, execute }
}

function resultOf(run: ToolRun | undefined): string {
  if (run?.status === "ok" && run.empty !== true) return run.result
  throw new Error(run?.result ?? "It was not run: a replay runs no tools, and the turn has no result for these arguments.")
}

/** A hook without what it does after turns. The tools that it adds do nothing. */
function hookBefore(hook: TurnHook, recorded: (tools: readonly Tool[]) => readonly Tool[]): TurnHook {
  return {
    name: hook.name,
    beforeTurn(context) {
      const addTools: BeforeTurnContext["addTools"] = (tools) => context.addTools(recorded(tools))
      return hook.beforeTurn?.({ ...context, addTools })
    },
  }
}

/** The sessions of a store as they were before a turn, without the items of their stacks. Writes are left out. */
function storeBefore(store: SessionStore, { id, startedMs }: ReplayableTurn): SessionStore {
  const beginning = (history: SessionRecord["history"]): number => {
    const own = history.findIndex(({ turnId }) => turnId === id)
    return own < 0 ? history.findIndex(({ atMs }) => atMs > startedMs) : own
  }
  return {
    async load(key, options): Promise<SessionRecord | undefined> {
      const newest = await store.load(key, options)
      // Older messages than those that were asked for take the place of those that came later.
      const isNewest = newest?.history.at(-1)?.turnId === id
      const record = options?.last === undefined || isNewest ? newest : await store.load(key)
      if (!record) return undefined
      const at = beginning(record.history)
      const history = at < 0 ? record.history : record.history.slice(0, at)
      return { ...record, history, state: { ...record.state, stack: [] } }
    },
    messages: (key, filter) => store.messages(key, filter),
    branches: (...given) => store.branches(...given),
    commit: async () => ({ version: 0 }),
    append: async () => undefined,
    post: async () => false,
  }
}

/** Everything beside agent and turn that {@link runAgain} needs. */
interface RunParts {
  readonly parts: RecordParts
  /** Ends the turn when it aborts. */
  readonly signal: AbortSignal
}

/**
 * Runs a turn again: the model is asked, and nothing is kept. No tool acts: a call with the arguments of one in the turn gets that one's
 * result, another fails with words that say so. Resolves to the record of the new turn, also of one that failed.
 */
export async function runAgain(agent: AgentContext, turn: ReplayableTurn, { parts, signal }: RunParts): Promise<TurnRecord> {
  let isPlanned = false
  const context = contextAgain(agent, turn, { isPlanned: () => isPlanned })
  const clock = clockFrom(turn.startedMs, agent.ports.clock)
  const recorder = new Recorder({ maxTurns: 1, maxBytes: Number.POSITIVE_INFINITY }, clock)
  const inspection: AgentContext["inspection"] = {
    tell: (...given) => recorder.tell(...given),
    send(...given) {
      isPlanned = true
      recorder.send(...given)
    },
  }
  const own = { ...context, inspection, ports: { ...context.ports, clock } }
  const run = sessionAgain(own, turn).send(turn.question, { ...saidWith(turn), signal })
  await run.result
  const kept = recorder.get(run.id)
  if (!kept) throw new Error("The turn that was run again left no record.")
  return turnRecord(kept, { ...parts, before: () => undefined }, [])
}

/** A clock that goes on from a moment. */
function clockFrom(startMs: number, clock: Clock): Clock {
  const begunMs = clock.nowMs()
  return { nowMs: () => startMs + clock.nowMs() - begunMs }
}
