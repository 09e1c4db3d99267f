import type { HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { Job } from "./job-runner.ts"
import type { Receipt } from "./receipt.ts"

/** Something that is left outside a turn for a session's next turn, such as a roll-up, a compression or an observer's injection. Plain JSON. */
export interface SessionNote {
  /** Unique in its session for ever. A note that is posted twice under one id is one note, even after a turn has taken it. */
  readonly id: string
  /** The name of the hook that gets it. */
  readonly owner: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A session as a store hands it out. */
export interface SessionRecord {
  /** Grows by one with every commit; 0 for a session that has only notes and words that were appended. */
  readonly version: number
  /** All messages of the history, or the newest ones if `last` was given; oldest first. */
  readonly history: readonly HistoryMessage[]
  /** The number of messages before those in `history`, blank ones not counted. */
  readonly earlier: number
  /** Plain JSON by owner: the session's stack items, its memory switch, the states of hooks. */
  readonly state: Readonly<Record<string, unknown>>
  /** Notes that no turn has taken yet, oldest first. */
  readonly notes: readonly SessionNote[]
}

/** The one write of a turn. */
export interface SessionCommit {
  /** The version of the session when the turn began; 0 for a new session. */
  readonly expectVersion: number
  /**
   * Messages to add at the end of the history. The messages of one turn follow each other: a turn's id is new in its session, or that
   * of the turn at the end.
   */
  readonly append: readonly HistoryMessage[]
  /**
   * The id of the turn behind which the history goes on; `null`: before its first message. Without it, the current end. The history
   * becomes the path from the conversation's beginning to this turn, with `append` behind it. Turns that leave the history are set
   * aside: they are kept, and only `branches` shows them. The turn may itself be set aside: then it and the turns before it return.
   *
   * The same write takes back everything that was drawn in the background from turns that are set aside: memories with their vectors,
   * the insights that rest on them, statements, receipts, and their jobs, also running ones, whose signals abort. Later messages of
   * other conversations lose the recalled memories that they kept if one of those may be among them. Give `jobs` with new ids for
   * turns that return.
   *
   * Throws `usage`, and changes nothing, if the session does not have this turn, or has a turn of `append` already.
   */
  readonly after?: string | null
  /**
   * With `after`: words that the agent only heard (`HistoryMessage.unanswered`, and not `interrupted`) and that would leave the history
   * stay in it, behind `append`, except those of the first turn that leaves if `append` stands in its place. What followed them in a branch that is set aside then follows what they had followed.
   */
  readonly keepHeard?: boolean
  /** Replaces the whole state. */
  readonly state: Readonly<Record<string, unknown>>
  /** Jobs to enqueue. A job whose id is known is ignored. */
  readonly jobs: readonly Job[]
  /** Ids of notes that this turn took. Unknown ids are ignored. */
  readonly taken?: readonly string[]
  /** Receipts to put in the same write: what the turn used, under an id that has no receipts yet. */
  readonly receipts?: readonly Receipt[]
}

/** A turn of a session: one that belongs to its history, or one that was set aside. */
export interface StoredTurn {
  readonly turnId: string
  /** The id of the turn that it follows; undefined for one with which the conversation begins. */
  readonly parent: string | undefined
  /** True if the turn is not part of the history now. */
  readonly isAside: boolean
  readonly messages: readonly HistoryMessage[]
}

/** Selects messages of a conversation: those that meet every criterion given (R13). */
export interface MessageFilter {
  /** A speaker's id or name. */
  readonly speaker?: string | undefined
  readonly role?: HistoryMessage["role"] | undefined
  /** From this moment on, in milliseconds since 1970. */
  readonly fromMs?: number | undefined
  /** Before this moment, in milliseconds since 1970. */
  readonly beforeMs?: number | undefined
  /** Words that the text contains, in upper or lower case. */
  readonly containing?: string | undefined
  /** Leaves out this many of the newest messages that fit. */
  readonly skip?: number
  /** At most this many: the newest of those that fit. */
  readonly limit: number
}

/**
 * Keeps sessions: the part of a `Store` that a turn needs. All methods may be called concurrently, also from several processes. Changes
 * that a caller makes to a value it passed in or got back must not change what is stored.
 *
 * `commit`, `append` and `post` are atomic, and throw `usage` for what is not plain JSON. A failure of the database throws `store`.
 */
export interface SessionStore {
  /** The session of a key; undefined if nothing was ever written. `last` limits the history to the newest messages. The result may be frozen. */
  load(key: SessionKey, options?: { readonly last?: number }): Promise<SessionRecord | undefined>
  /**
   * Writes a turn: messages, state, jobs and taken notes together or not at all. Throws `session-conflict`, and changes nothing, if
   * the session's version is not `expectVersion`. Of commits that race for one version, exactly one succeeds.
   */
  commit(key: SessionKey, commit: SessionCommit): Promise<{ readonly version: number }>
  /**
   * Adds messages at the end of the history, outside of a turn: what was said in a group without an answer. Makes the session if it is
   * missing. Once this resolves they are durable. The version stays, so a running turn can still commit: its messages then stand behind
   * these. Calls of one process keep their order. Calls that wait at the same time share one write; if it fails, each of them throws.
   */
  append(key: SessionKey, messages: readonly HistoryMessage[]): Promise<void>
  /** Leaves a note for the next turn; false if its id is known. The version stays, so a running turn can still commit. */
  post(key: SessionKey, note: SessionNote): Promise<boolean>
  /** The messages of the history that meet the filter, oldest first. */
  messages(key: SessionKey, filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** Every turn of the session, also those that are set aside, in the order in which they were written. Empty for an unknown session. */
  branches(key: SessionKey): Promise<readonly StoredTurn[]>
}

/** The error that every store throws for a commit that expects another version than the store has. */
export function sessionConflict(
  { agent, conversation, audience }: SessionKey,
  expectedVersion: number,
  foundVersion: number,
): PromptStrataError {
  const message = `Session ${JSON.stringify(conversation)} of agent ${JSON.stringify(agent)} is at version ${foundVersion}, not at ${expectedVersion} as this commit expects: another turn was committed meanwhile.`
  const hint =
    "Nothing of this commit was written. If `session.history` has the words, answer them with `regenerate`; do not send them again."
  const evidence = { agent, conversation, audience, expectedVersion, foundVersion }
  return new PromptStrataError("session-conflict", message, { hint, evidence })
}

/** The messages that meet a filter, oldest first: {@link SessionStore.messages} over a list. */
export function filterMessages(messages: readonly HistoryMessage[], filter: MessageFilter): readonly HistoryMessage[] {
  const [skip, limit] = [Math.max(0, filter.skip ?? 0), Math.max(0, filter.limit)]
  const fitting: HistoryMessage[] = []
  // From the newest message back, because few are asked for.
  for (let at = messages.length - 1; at >= 0 && fitting.length < skip + limit; at--) {
    const message = messages[at] as HistoryMessage
    if (fits(message, filter)) fitting.push(message)
  }
  return fitting.slice(skip).reverse()
}

function fits({ role, speaker, text, atMs }: HistoryMessage, filter: MessageFilter): boolean {
  if (filter.role !== undefined && filter.role !== role) return false
  if (filter.speaker !== undefined && filter.speaker !== speaker.id && filter.speaker !== speaker.name) return false
  if (filter.fromMs !== undefined && atMs < filter.fromMs) return false
  if (filter.beforeMs !== undefined && atMs >= filter.beforeMs) return false
  return filter.containing === undefined || text.toLowerCase().includes(filter.containing.toLowerCase())
}
