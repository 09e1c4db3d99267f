import { type HistoryMessage, isHeard, isSpoken, type SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { orAborted } from "../../../core/timers.ts"
import { blobIdsIn } from "../../../memory/services/store/blob.ts"
import type { SessionCommit, StoredTurn } from "../../../memory/services/store/session-store.ts"
import { openTurnIn, withoutOpenTurn } from "../../turn/open-turn/open-turn.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { findUnsettled, unknownWrite } from "../failed/unsettled-commits.ts"
import { type Replacement, type SessionAtRest, sessionState } from "../queue/turn-states.ts"
import { messageId, unknownMessage } from "./session-history.ts"
import { commitOf, type LoadedSession, loadSession, rewound } from "./set-aside.ts"

/**
 * Ends the history behind the turn of a message's or turn's id; `null`: before its first message. Throws `usage` for an id that the
 * history does not have.
 */
export async function rewind(at: SessionAtRest, to: string | null): Promise<void> {
  const session = await load(at)
  const there = rewound(session, to === null ? null : turnOf(session, to).turnId, { keepHeard: false })
  const open = openTurnIn(session.record.state)
  // A wake that waits stands behind all turns, mostly without a message.
  const isBehind = open !== undefined && !session.turns.some(({ turnId }) => turnId === open.turnId)
  if (isBehind || there.replaces.turns.length > 0) await write(at, commitOf(session, there))
}

/** Switches a conversation's memory, unless it is so. Words that were heard until now are then never remembered. */
export async function setMemory({ session: { agent, key }, record, signal }: SessionAtRest, memoryOn: boolean): Promise<void> {
  if (sessionState(record).memoryOn === memoryOn) return
  const state = { ...record?.state, memoryOn, memorySinceMs: agent.ports.clock.nowMs() }
  const commit = { expectVersion: record?.version ?? 0, append: [], state, jobs: [] }
  await orAborted(agent.store.commit(key, commit), signal)
}

/** Brings a turn back that was set aside, with those that last followed it. Throws `usage` for a turn that the session does not have. */
export async function choose(at: SessionAtRest, turnId: string): Promise<void> {
  const session = await load(at)
  let end = session.turns.find((turn) => turn.turnId === turnId)
  if (end === undefined) throw unknownMessage(session.key, turnId)
  if (!end.isAside) return
  // Of the turns that follow one turn, the one that was written last.
  const nextOf = new Map(session.turns.map((turn) => [turn.parent, turn]))
  for (let next = nextOf.get(end.turnId); next; next = nextOf.get(end.turnId)) end = next
  await write(at, commitOf(session, rewound(session, end.turnId)))
}

/** The turn that answers the last words again. Throws `usage` if there are none. */
export async function regenerated(at: SessionAtRest): Promise<Replacement> {
  const session = await load(at)
  const history = session.turns.filter(({ isAside }) => !isAside)
  const last = history.findLast(({ messages }) => messages.some((message) => !isHeard(message) || message.toAnswer))
  const words = last?.messages.find(({ role }) => role === "user")
  if (last !== undefined && words !== undefined) return inPlaceOf(session, last, words)
  // An answer to words that had to wait stands behind them as a turn of its own.
  const asked = last?.messages[0]?.replyTo?.id
  const kept = asked === undefined ? undefined : history.find(({ turnId }) => messageId(turnId, 0) === asked)
  const [asking] = kept?.messages ?? []
  if (last !== undefined && kept !== undefined && asking !== undefined) {
    const { record, input } = inPlaceOf(session, last, asking)
    return { record, input: { ...input, kept: { turnId: kept.turnId } } }
  }
  const message = `expected a last answer that can be made again; session ${JSON.stringify(session.key.conversation)} ${last ? "ends with words that nobody asked for." : "has no answer."}`
  const hint = last ? "Rewind, and wake the session again: the reason of the turn is not kept." : "Send something first."
  throw new PromptStrataError("usage", message, { hint, evidence: { turnId: last?.turnId } })
}

/** The role of a message of the history. Throws `usage` for an id that the history does not have. */
export async function roleOf(at: SessionAtRest, id: string): Promise<HistoryMessage["role"]> {
  return messageOf(await load(at), id).message.role
}

/** The turn with other words in the place of a user's message. */
export async function edited(at: SessionAtRest, id: string, text: string): Promise<Replacement> {
  const session = await load(at)
  const { turn, message } = messageOf(session, id)
  if (!isSpoken({ ...message, text })) throw noWords()
  return inPlaceOf(session, turn, { ...message, text: text.toWellFormed() })
}

/** Puts other words in the place of an answer. No model is asked. */
export async function editAnswer(at: SessionAtRest, id: string, text: string): Promise<void> {
  const session = await load(at)
  const { turn, message } = messageOf(session, id)
  if (text.trim() === "") throw noWords()
  const turnId = session.agent.ports.ids.next("turn")
  // A whole answer stands there now, also in a turn that had failed.
  const append = turn.messages.map(({ interrupted: _, unanswered: __, ...each }, place) =>
    costless(turn.messages[place] === message ? { ...each, turnId, text: text.toWellFormed() } : { ...each, turnId }),
  )
  await write(at, commitOf(session, rewound(session, turn.parent ?? null), append))
}

/** A copy of a message, for which no model was asked. */
function costless(message: HistoryMessage): HistoryMessage {
  return message.spent ? { ...message, spent: { ...message.spent, calls: [], layers: {} } } : message
}

/**
 * Copies the history into a new conversation of the same audience, with the state, the bytes that its messages name, and the notes that
 * wait. Turns keep their ids, so that no prompt of the copy recalls what it shows; nothing is drawn from them, and nothing of their cost
 * is counted, a second time. Throws `usage` if the conversation exists, or the name is blank.
 */
export async function fork(at: SessionAtRest, conversation: string): Promise<void> {
  const { session, record, signal } = at
  const { store } = session.agent
  if (typeof conversation !== "string" || conversation.trim() === "") throw badName(conversation, "is no name")
  const key = { ...session.key, conversation }
  const found = await orAborted(store.load(key), signal)
  if (found !== undefined || conversation === session.key.conversation) throw badName(conversation, "exists")
  const { history = [], state = {}, notes = [] } = record ?? {}
  await orAborted(copyBlobs(session.agent, history, { from: session.key, to: key }), signal)
  const append = history.map(costless)
  await write(at, { expectVersion: 0, append, state: withoutOpenTurn(state), jobs: [] }, key)
  for (const note of notes) await orAborted(store.post(key, note), signal)
}

/** Lets another conversation hold the bytes that messages name. */
async function copyBlobs(
  { blobs }: AgentContext,
  messages: readonly HistoryMessage[],
  { from, to }: { readonly from: SessionKey; readonly to: SessionKey },
): Promise<void> {
  const ids = new Set(messages.flatMap((message) => blobIdsIn(JSON.stringify(message))))
  for (const id of ids) {
    const bytes = await blobs.get(id, from)
    if (bytes !== undefined) await blobs.put(bytes, to)
  }
}

function badName(conversation: unknown, why: string): PromptStrataError {
  const message = `fork expected the name of a new conversation, found ${JSON.stringify(conversation)}, which ${why}.`
  return new PromptStrataError("usage", message, { hint: "Nothing was copied. Choose another name, or forget that one first." })
}

/** Writes a change. The error of one that the store does not end in time says that its outcome is unknown. */
async function write({ session, signal }: SessionAtRest, commit: SessionCommit, key: SessionKey = session.key): Promise<void> {
  try {
    await orAborted(session.agent.store.commit(key, commit), signal)
  } catch (thrown) {
    const isLate = signal.aborted && thrown === signal.reason
    if (!isLate || !PromptStrataError.isInstance(thrown) || thrown.code !== "turn-timeout") throw thrown
    const unknown = `Nobody knows yet whether session ${JSON.stringify(key.conversation)} is changed.`
    const hint = "Look at its `history` before you repeat the call."
    throw unknownWrite(thrown, { expected: "the store to keep the change", unknown, hint })
  }
}

function noWords(): PromptStrataError {
  const hint = "Pass at least one visible character, or set the turn aside with `rewind`."
  return new PromptStrataError("empty-question", "edit expected words; the text is empty.", { hint })
}

function load({ session, record, signal }: SessionAtRest): Promise<LoadedSession> {
  // Now, because a turn whose outcome is unknown cannot be found once it is set aside.
  findUnsettled(session, record)
  return orAborted(loadSession(session.agent, session.key, record), signal)
}

function inPlaceOf(
  session: LoadedSession,
  turn: StoredTurn,
  { speaker, text, attachments = [], replyTo, mentions }: HistoryMessage,
): Replacement {
  const { record, replaces } = rewound(session, turn.parent ?? null, { replaced: turn })
  const key = { ...session.key, user: speaker.id }
  return { record, input: { key, speaker, text, attachments, replyTo, mentions, replaces } }
}

/** The turn of the history that an id names, its own or that of one of its messages. */
function turnOf({ key, turns }: LoadedSession, id: string): StoredTurn {
  const history = turns.filter(({ isAside }) => !isAside)
  const named = (turn: StoredTurn) => turn.messages.some((_, at) => messageId(turn.turnId, at) === id)
  const found = history.find(({ turnId }) => turnId === id) ?? history.find(named)
  if (found === undefined) throw unknownMessage(key, id)
  return found
}

function messageOf({ key, turns }: LoadedSession, id: string): { readonly turn: StoredTurn; readonly message: HistoryMessage } {
  for (const turn of turns) {
    const message = turn.messages.find((_, at) => !turn.isAside && messageId(turn.turnId, at) === id)
    if (message !== undefined) return { turn, message }
  }
  throw unknownMessage(key, id)
}
