import { asOurError, messageOf } from "../../core/errors.ts"
import { orAborted, within } from "../../core/timers.ts"
import { sessionRowId } from "../../memory/services/store/rows/row-tables.ts"
import type { SessionCommit, SessionRecord } from "../../memory/services/store/session-store.ts"
import { openTurnKey } from "../../memory/services/store/waiting-turn.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import type { TurnAnswer, TurnResult } from "../../trace/turn-event.ts"
import { withSpending } from "../../trace/turn-spending.ts"
import { runTurn } from "../turn/run-turn.ts"
import { type Deadline, type TurnContext, type TurnInput, warn } from "../turn/turn-context.ts"
import { fail } from "../turn/turn-outcome.ts"
import { loadAside } from "./borders/load-aside.ts"
import { createTurnContext } from "./create-turn-context.ts"
import { emptyRecord, isWaiting, maxMessages, move, type QueuedTurn, type SessionAtRest, turnKinds } from "./queue/turn-states.ts"
import { notKept, unbegunTurn } from "./turn.ts"
import { commitOf, hasForgotten, namedBytes } from "./turn-commit.ts"

/** How often a message looks whether those before it have begun. */
const lookMs = 250

/**
 * Begins a turn whose place has come: makes its input, now that its session was read, reads its attachments and runs it. Of a message
 * that has to wait for an approval it says how long, until it looks again.
 */
export async function runQueuedTurn(
  turn: QueuedTurn,
  rest: SessionAtRest,
  deadline: Deadline,
): Promise<TurnResult | { readonly waitMs: number }> {
  const { call, session } = turn
  const { kept, attachments } = turn.input
  const at = kept || session.unsettled.size > 0 ? await withWholeHistory(rest) : rest
  const given = call.makeInput(turn.input.turnId, at.record ?? emptyRecord)
  // Those of words that a crash cut off are read again.
  const areRead = attachments.length > 0
  const words = kept ? { ...given, kept, ...(areRead && { attached: [], attachments }) } : given
  const isAlone = turn.joined.length === 0 && turn.waited === undefined
  const made = isAlone ? words : (await loadAside()).withJoined(words, turn)
  const mayWait = turnKinds[call.kind].waits && (at.record?.state[openTurnKey] !== undefined || session.open.size > 1)
  const beginning = call.replace ? await call.replace(at) : mayWait ? await besideWaiting(turn, at, made) : undefined
  if (beginning && "waitMs" in beginning) {
    move(turn, "hold")
    if (!kept) await (await loadAside()).keepWaiting(turn, words, deadline.signal)
    return beginning
  }
  deadline.signal.throwIfAborted()
  const input: TurnInput = { ...made, ...beginning?.input }
  turn.input = input.attached.length === 0 ? input : await (await loadAside()).readInput(session.agent, input, deadline)
  const begun = beginning?.record ?? at.record
  const { history = [] } = begun ?? {}
  let hasWords = input.kept !== undefined
  // No slice, which takes long on a frozen list.
  for (let at = Math.max(0, history.length - 2 * maxMessages); at < history.length; at++)
    hasWords ||= history[at]?.toAnswer === true
  const mayAnswer = hasWords && input.wake === undefined && !input.resumes
  const record = mayAnswer ? (await loadAside()).withUnanswered(turn, begun) : begun
  move(turn, "plan")
  return runSessionTurn(turn, record, deadline)
}

/** The beginning of a message while a call waits for an approval, or how long it has to wait for that, or for messages that came before it. */
async function besideWaiting(turn: QueuedTurn, at: SessionAtRest, input: TurnInput) {
  if (at.record?.state[openTurnKey] !== undefined) return (await loadAside()).besideOpen(at, input)
  // Their words are in the history already, where messages that may join find them.
  if (turn.meets) return undefined
  for (const other of turn.session.open) {
    if (other === turn) return undefined
    if (turnKinds[other.call.kind].waits && isWaiting(other)) return { waitMs: lookMs }
  }
  return undefined
}

/** A session with its whole history: the messages of a turn whose outcome is unknown, and words that waited, can stand anywhere in it. */
export async function withWholeHistory(at: SessionAtRest): Promise<SessionAtRest> {
  const { agent, key } = at.session
  return { ...at, record: await orAborted(agent.store.load(key), at.signal) }
}

/**
 * Runs one turn of a session: the loop, then its one commit, then, in the background, the hooks that follow, in their order and one
 * turn of a session after the other. Nothing is committed unless there is an answer; of a failed turn the words are kept (T20). Never
 * rejects.
 */
export async function runSessionTurn(
  queued: QueuedTurn,
  record: SessionRecord | undefined,
  deadline: Deadline,
): Promise<TurnResult> {
  const { input, emit, session } = queued
  const { agent } = session
  if (queued.joinedTo !== undefined)
    return (await loadAside()).endJoined(queued, unbegunTurn(agent, input, { thrown: undefined, emit }))
  if (session.unsettled.size > 0) (await loadAside()).findUnsettled(session, record)
  const turn = createTurnContext(agent, input, { record, deadline, emit, assembler: session.assembler })
  const result = await runTurn(turn)
  const committed = await commitOrKeep(turn, result, queued).catch((thrown: unknown) => {
    agent.onWarning(notKept(input, thrown))
    return result.ok ? fail(turn, asOurError(thrown, "session-store", "The session could not be stored")) : result
  })
  agent.calling.delete(turn)
  // The requests of a turn that forgot something hold it, too.
  if (hasForgotten(turn)) session.assembler.forget()
  // What this turn had for itself belongs to the one that answers its words.
  if (queued.state !== "joined") input.stack.endTurn(turn.stack)
  for (const hook of agent.hooks) {
    // The member is not read here, because a getter that throws is a failure of the hook too.
    if ("afterTurn" in hook) void agent.background.enqueue(sessionRowId(input.key), () => runHook(turn, hook, committed))
  }
  const failed = (thrown: unknown) => warn(turn, "model", `The prompt cache is not kept alive: ${messageOf(thrown)}`)
  if (committed.ok && turn.progress.log.lastRequest) await loadAside().then((aside) => aside.keepCacheAlive(turn, queued), failed)
  return committed
}

/** Commits an answer. Of a failed turn, and of one whose commit failed, it keeps the words. Rejects if code cannot be loaded. */
async function commitOrKeep(turn: TurnContext, result: TurnResult, queued: QueuedTurn): Promise<TurnResult> {
  const committed = result.ok ? await commitTurn(turn, result, queued) : result
  if (committed.ok) return committed
  const { endJoined, keepFailedTurn, keepSpending } = await loadAside()
  if (queued.joinedTo !== undefined) return endJoined(queued, committed)
  if (turn.agent.profile.history.keepFailed) await keepFailedTurn(turn, committed, result.ok)
  // Of another failed commit nobody knows whether it was written.
  if (!result.ok || committed.error.code === "session-conflict") await keepSpending(turn, committed.trace)
  return committed
}

/**
 * Writes a turn to the store, once: its messages, the session's state and the jobs that follow. If the write fails, the turn has
 * failed. If the turn is stopped meanwhile, it has failed too, and its error says that the outcome is unknown.
 */
async function commitTurn(turn: TurnContext, result: TurnAnswer, queued: QueuedTurn): Promise<TurnResult> {
  const { agent, input, stack, signal } = turn
  let writing: Promise<{ readonly version: number }> | undefined
  let commit: SessionCommit | undefined
  try {
    signal.throwIfAborted()
    move(queued, "store")
    for (const bytes of input.bytes?.values() ?? []) await orAborted(agent.blobs.put(bytes, input.key), signal)
    commit = commitOf(turn, result)
    if (input.resumes || turn.progress.open.step) commit = await (await loadAside()).waitingCommit(turn, commit)
    if (turn.progress.files.madeBytes.size > 0)
      for (const bytes of namedBytes(turn.progress.files.madeBytes, [commit.append, commit.state]))
        await orAborted(agent.blobs.put(bytes, input.key), signal)
    const isReceipt = agent.spending !== undefined && !agent.isStateless
    const receipt = isReceipt ? (await loadAside()).turnReceipt(turn, result.trace) : undefined
    if (receipt) commit = { ...commit, receipts: [receipt] }
    else if (Object.keys(result.trace.usage).length > 0)
      commit = { ...commit, append: withSpending(commit.append, result.trace, input.key.user) }
    writing = agent.store.commit(input.key, commit)
    const { version } = await orAborted(writing, signal)
    input.stack.merge(stack)
    turn.emit({ type: "commit", version })
    if (!receipt && (commit.append.length === 0 || agent.spending)) await (await loadAside()).keepSpending(turn, result.trace)
    return result
  } catch (thrown) {
    const { behindLate, commitError, leaveUnsettled, unknownOutcome } = await loadAside()
    if (!commit || !writing || !signal.aborted || thrown !== signal.reason) {
      const behind = await behindLate(queued.session, turn)
      return behind ? commitTurn(behind, result, queued) : fail(turn, commitError(thrown))
    }
    leaveUnsettled(queued.session, turn, commit, writing)
    return fail(turn, unknownOutcome(signal.reason))
  }
}

/** Runs a hook after a turn. One that throws, or takes longer than `limits.toolMs`, is reported, and the next one runs. */
async function runHook({ agent, input, session }: TurnContext, hook: TurnHook, result: TurnResult): Promise<void> {
  const { ports, profile, onWarning } = agent
  const { key, turnId, speaker, text, wake } = input
  // Copies, so that a hook that changes them changes nothing for the next hook or for the caller.
  const context = { key: { ...key }, turnId, memoryOn: session.memoryOn, result: { ...result }, speaker: { ...speaker }, wake }
  const timeoutMs = profile.limits.toolMs
  const outcome = await within({ timeoutMs, signal: new AbortController().signal, timers: ports.timers }, (signal) =>
    hook.afterTurn?.({ ...context, question: text, signal }),
  )
  if (outcome.status === "failed")
    onWarning({ key, turnId, message: `The hook ${hook.name} failed after the turn: ${messageOf(outcome.error)}` })
  if (outcome.status === "timeout")
    onWarning({ key, turnId, message: `The hook ${hook.name} took longer than ${timeoutMs} ms after the turn.` })
}
