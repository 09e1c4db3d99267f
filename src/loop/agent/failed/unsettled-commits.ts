import { asOurError, messageOf, PromptStrataError, type PromptStrataErrorOf } from "../../../core/errors.ts"
import { orAborted } from "../../../core/timers.ts"
import type { SessionCommit, SessionRecord } from "../../../memory/services/store/session-store.ts"
import { openTurnKey } from "../../../memory/services/store/waiting-turn.ts"
import type { TurnContext } from "../../turn/turn-context.ts"
import { type LiveSession, sessionState, type UnsettledCommit } from "../queue/turn-states.ts"

/**
 * Keeps a commit that was given up in mind, until the store answers late or a later turn finds out what became of it. That is
 * reported then. If the commit was written, the session's stack takes over its items.
 */
export function leaveUnsettled(
  session: LiveSession,
  { input, stack }: TurnContext,
  { expectVersion, append }: SessionCommit,
  writing: Promise<unknown>,
): void {
  const commit = { input, stack, expectVersion, hasMessages: append.length > 0 }
  session.unsettled.add(commit)
  writing.then(
    () => settle(session, commit, { isWritten: true }),
    (error: unknown) => settle(session, commit, { isWritten: false, why: messageOf(error) }),
  )
}

/** Looks for a session's commits of unknown outcome in the record that a turn begins with. */
export function findUnsettled(session: LiveSession, record: SessionRecord | undefined): void {
  const version = record?.version ?? 0
  for (const commit of session.unsettled) {
    if (version <= commit.expectVersion) continue
    const { turnId } = commit.input
    const isFound = record?.history.some((message) => message.turnId === turnId)
    const isWritten = commit.hasMessages ? isFound === true : version === commit.expectVersion + 1
    settle(session, commit, { isWritten, why: "another turn was committed first" })
  }
}

/**
 * A turn whose commit failed, as it stands behind one that was given up and has been stored since it began. What both changed is as
 * this one left it. Undefined if nothing or anything else was stored meanwhile.
 */
export async function behindLate(live: LiveSession, turn: TurnContext): Promise<TurnContext | undefined> {
  const { agent, input, stack, progress, signal } = turn
  const before = turn.record?.version ?? 0
  if (live.late === undefined && live.unsettled.size === 0) return undefined
  const record = await orAborted(agent.store.load(input.key), signal).catch(() => undefined)
  findUnsettled(live, record)
  if (record?.version !== before + 1 || live.late !== before) return undefined
  if (input.replaces || input.resumes || openTurnKey in record.state) return undefined
  const { markerId, hooks } = turn.session
  const session = { ...sessionState(record), markerId }
  const { states } = progress.hooks
  for (const [name, state] of Object.entries(session.hooks)) if (states.get(name) === hooks[name]) states.set(name, state)
  // Both ways, so that the stored items are those of the session. It has this turn's even if this commit fails, too.
  input.stack.merge(stack)
  stack.update()
  return { ...turn, record, session }
}

type Outcome = Readonly<{ isWritten: boolean; why?: string }>

function settle(live: LiveSession, commit: UnsettledCommit, { isWritten, why }: Outcome): void {
  const { agent, unsettled, stack } = live
  if (!unsettled.delete(commit)) return
  if (isWritten) {
    live.late = commit.expectVersion
    stack.merge(commit.stack)
  }
  const { key, turnId } = commit.input
  const outcome = isWritten ? "The turn is stored." : `The turn is not stored: ${why}`
  agent.onWarning({ key, turnId, message: `A commit ended after its turn had failed. ${outcome}` })
}

/** The error of a write that the store had not ended when the time of its turn was over. */
export function unknownWrite(
  cause: PromptStrataErrorOf<"turn-timeout">,
  { expected, unknown, hint }: { readonly expected: string; readonly unknown: string; readonly hint: string },
): PromptStrataError {
  const { limit, limitMs } = cause.evidence
  const message = `expected ${expected} within ${limitMs} ms; it did not. ${unknown}`
  return new PromptStrataError("turn-timeout", message, { cause, hint, evidence: { limit, limitMs, commit: "unknown" } })
}

/** The error of a turn whose answer could not be stored. */
export function commitError(thrown: unknown): PromptStrataError {
  return asOurError(thrown, "session-store", "The session could not be stored", {
    hint: "The answer was made but is not part of the conversation. Once the store works, answer the words with `regenerate` if the history has them; else send them again.",
  })
}

/** The error of a turn that was stopped for `reason` while its answer was being stored. */
export function unknownOutcome(reason: PromptStrataError): PromptStrataError {
  const unknown =
    "The answer was being stored when the turn was stopped. Nobody knows yet whether it is part of the conversation."
  const hint = "The next turn reads the session again and goes on from what it holds. Look there before you send the words again."
  if (reason.code === "turn-timeout") return unknownWrite(reason, { expected: "the turn to end", unknown, hint })
  return new PromptStrataError("aborted", `The turn was aborted. ${unknown}`, {
    cause: reason,
    hint,
    evidence: { commit: "unknown" },
  })
}
