import type { Audience, ServiceKey, SessionKey, Speaker } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { Receipt } from "./receipt.ts"

/** A lasting fact that a memory tells. Two of one subject and relation are the same fact at different times. */
export interface MemoryFact {
  /** Whom it is about. */
  readonly subject: string
  /** The thing that it tells of them, such as `home`. */
  readonly relation: string
  /** Its value, which is clear without the words of the memory, such as `Oslo` or `2026-05`. Absent if the fact has ended. */
  readonly value?: string
}

/** Words of a model, written when a memory was kept, so that it is found by them too. Nobody said it, and no prompt shows it. */
export interface MemoryKeys {
  /** Words that the memory does not hold: a broader word, a synonym, the name behind a pronoun. */
  readonly words: readonly string[]
  /** The facts that the memory tells, each of which can change by itself. */
  readonly facts?: readonly MemoryFact[]
  /** Whom the memory tells a fact about, where it has no `facts`: a model gave one without its value. */
  readonly subject?: string
  /** The thing that it tells of them. */
  readonly relation?: string
  /** The days that it tells of, as `2026-03-04`. */
  readonly dates?: readonly string[]
  /** The importance of these words alone, from 0 to 10, where it was judged. It counts in place of their turn's. */
  readonly importance?: number
  /** The id of the model that wrote them. */
  readonly by: string
}

/** A memory as stores keep it. Plain JSON: it carries where it was said, by whom and when. */
export interface StoredMemory {
  /** Unique in its agent. It is made from the turn's id, so a job that runs twice stores the memory once. */
  readonly id: string
  readonly agent: string
  readonly conversation: string
  readonly audience: Audience
  /** The user that the memory belongs to: the speaker of its turn. */
  readonly user: string
  /** `dialogue`: words that were said. `insight`: a conclusion that reflection drew from other memories. `note`: put there on purpose. */
  readonly kind: "dialogue" | "insight" | "note"
  readonly text: string
  /** The person who said it; for an insight, the agent. */
  readonly speaker: Speaker
  /** Milliseconds since 1970. */
  readonly atMs: number
  readonly turnId: string
  /** The later turn whose background work judged it and kept it, if turns are judged together; absent if its own did. */
  readonly judgedIn?: string
  /** The turn's number in its conversation, from 0. */
  readonly turn: number
  /** When the same words were said at other times, oldest first: the newest ones, at most eight. */
  readonly againAtMs?: readonly number[]
  /** From 0 to 10; absent if it was not judged. */
  readonly importance?: number
  /** The ids of the memories that an insight rests on. */
  readonly sources?: readonly string[]
  /** True if output of untrusted tools stood in the context when it was said. */
  readonly untrusted?: true
  readonly keys?: MemoryKeys
  /** The ids of earlier memories that told the same fact. They are kept, and stand behind this one unless the past is asked for. */
  readonly updates?: readonly string[]
  /** Days until its retrievability is 0.9 (R17). It grows with each use, see {@link MemoryRecords.markUsed}; absent: 1. */
  readonly stability?: number
  /** When it was last used, in milliseconds since 1970: it stood in the prompt of a turn that was answered. */
  readonly usedAtMs?: number
  /** The id of the memory that replaced this one. A replaced memory is kept as history and not recalled. */
  readonly supersededBy?: string
}

/** Counts of what was deleted with memories. */
export interface ForgottenMemories {
  /** Insights that rested on them included. */
  readonly memories: number
  /** Facts about the user. */
  readonly statements: number
}

/** An embedding of a memory's text. */
export interface StoredVector {
  readonly memoryId: string
  /** The embedding model's id. Vectors of two models are never compared. */
  readonly model: string
  readonly values: Float32Array
}

/**
 * A reader's place in the changes of one scope. Changes of a scope are numbered in the order in which they became visible.
 * An epoch ends when something is deleted; after that, readers start again from the beginning.
 */
export interface MemoryCursor {
  readonly epoch: number
  readonly sequence: number
}

/** One page of changes after a cursor. */
export interface MemoryChanges {
  /** Pass it to the next call. */
  readonly cursor: MemoryCursor
  /** True if the cursor given was of an earlier epoch: the reader must drop all that it has read. */
  readonly reset: boolean
  /** New and changed memories in the order of their change, superseded ones included. A page shorter than the limit must be the last one. */
  readonly memories: readonly StoredMemory[]
}

/** A copy of the recall index of one scope, so that a process that begins need not make it again. */
export interface IndexCopy {
  /** The form in which it was written. Nobody reads another form. */
  readonly form: string
  /** The changes that are in it. */
  readonly cursor: MemoryCursor
}

/**
 * Keeps memories, one part of a `Store`. Every method works in its key's scope. The scope of a private key holds every
 * memory of its user; the scope of a group's key holds what was said in that group. No method ever returns or changes a memory
 * outside the scope.
 *
 * All methods may be called concurrently, also from several processes on one store. A write is atomic, and a later read sees it.
 */
export interface MemoryRecords {
  /**
   * Keeps a memory and marks those in `supersedes` as replaced, in one step.
   *
   * `stored` is false in two cases: its id is known (`id` is that id), and nothing changes; or another memory with the same `hash`
   * still holds for the same user, audience and (in a group) conversation (`id` is that memory's), which then keeps the new memory's
   * `atMs` too, as one of at most eight. Ids in `supersedes` that do not hold, or belong to another user, audience or group, are ignored.
   *
   * With `ofTurn` it rejects with `aborted`, and changes nothing, if the history of the memory's conversation has no message of its
   * turn, or one of its `sources` is gone: they were forgotten or set aside. Both are looked at in the same step.
   *
   * Throws `usage` if the memory's agent, conversation, audience and user are not those of the key.
   */
  put(
    memory: StoredMemory,
    options: {
      readonly hash: string
      readonly supersedes?: readonly string[]
      readonly ofTurn?: boolean
      readonly key: ServiceKey
    },
  ): Promise<{ readonly stored: boolean; readonly id: string }>
  /**
   * Notes that memories were used at a moment: it becomes their `usedAtMs`, and their `stability` grows by the days since they last came
   * up. A moment that is not later than the last one changes nothing, so the same use counts once. Ids outside the scope are ignored.
   */
  markUsed(ids: readonly string[], options: { readonly atMs: number; readonly key: ServiceKey }): Promise<void>
  /**
   * Deletes memories of the key's user by id, with everything that was drawn with them, in one step. Of words that were said, these are
   * all memories, statements, receipts and jobs of their turn, of the turn that it was judged in, and of turns in which the user said
   * the same again. Insights that rest on a deleted memory go too, and copies that other messages keep of what they recalled. The
   * messages stay. Each id leaves a receipt of kind `forget ID` with its turn. Ids of nobody or of another user are ignored.
   *
   * A tool sets `inTurn`, because a turn of the key's session runs: messages of that session then keep what they recalled, or the turn
   * could not be committed.
   */
  forget(
    ids: readonly string[],
    options: { readonly atMs: number; readonly inTurn?: boolean; readonly key: ServiceKey },
  ): Promise<ForgottenMemories>
  /** The memory of an id, superseded or not; undefined if the scope has none. */
  get(id: string, key: ServiceKey): Promise<StoredMemory | undefined>
  /** At most `limit` changes after the cursor `after`; without a cursor, from the beginning. A new vector is a change of its memory. */
  changes(key: ServiceKey, options: { readonly after?: MemoryCursor | undefined; readonly limit: number }): Promise<MemoryChanges>
  /** The newest memories that are not superseded, oldest first: by time, then by id. */
  recent(
    key: ServiceKey,
    options: { readonly limit: number; readonly kinds?: readonly StoredMemory["kind"][] },
  ): Promise<readonly StoredMemory[]>
  /** Keeps vectors, in place of older ones of the same memory and model. Vectors of memories outside the scope are ignored. */
  putVectors(vectors: readonly StoredVector[], key: ServiceKey): Promise<void>
  /** The vectors of these memories, in the order of the ids. Memories without a vector of this model are left out. */
  vectors(ids: readonly string[], model: string, key: ServiceKey): Promise<readonly StoredVector[]>
  /** Memories that are not superseded and have no vector of this model, oldest first: by time, then by id. */
  withoutVector(model: string, key: ServiceKey, limit: number): Promise<readonly StoredMemory[]>
  /**
   * Keeps a copy of the scope's recall index in place of the last one, part by part, so that no write takes long. False, and nothing is
   * kept, if its epoch is over or another copy came first. Rejects with what `parts` throws, and keeps nothing then. A copy holds the
   * words of memories: it is deleted when the scope's epoch ends, in the same step. Absent if the store keeps no copies.
   */
  keepIndex?(copy: IndexCopy & { readonly parts: AsyncIterable<Uint8Array> }, key: ServiceKey): Promise<boolean>
  /** The copy that was kept last, if it has this form. Undefined if there is none that is whole, or if its epoch is over. */
  readIndex?(
    key: ServiceKey,
    options: { readonly form: string },
  ): Promise<(IndexCopy & { readonly parts: readonly Uint8Array[] }) | undefined>
}

/** One thing a user said of themselves, with its source. Plain JSON. */
export interface ProfileStatement {
  /** The name of the field, such as `city`. */
  readonly name: string
  readonly value: string
  /** True if the user took the value back: from `atMs` on the field has none. */
  readonly ended?: true
  /** From 0 to 1. */
  readonly confidence: number
  readonly atMs: number
  readonly turnId: string
  /** The conversation in which it was said. Private statements are not shown in a group. */
  readonly conversation: string
  readonly audience: Audience
}

/**
 * Keeps what users said of themselves, one part of a {@link Store}: every statement, in the order in which they came.
 * Both methods may be called concurrently, also from several processes on one store.
 */
export interface UserRecords {
  /** For a private key, every statement of the user; for a group's key, those made in that group. The version is the user's in both cases; 0 if unknown. */
  load(key: ServiceKey): Promise<{ readonly version: number; readonly statements: readonly ProfileStatement[] }>
  /**
   * Adds a turn's statements as one revision, which raises the version by one. `applied` is false, and nothing changes, if the
   * turn's statements are there already or none are given. Otherwise throws `version-conflict`, and changes nothing, if the user's
   * version is not `expectVersion`. Of calls that race for one version, exactly one is applied. `ofTurn` as in {@link MemoryRecords.put}.
   */
  append(
    statements: readonly ProfileStatement[],
    options: {
      readonly turnId: string
      readonly expectVersion: number
      readonly ofTurn?: boolean
      readonly key: ServiceKey
    },
  ): Promise<{ readonly version: number; readonly applied: boolean }>
}

/** The error of a write `ofTurn` whose turn is gone. */
export function turnGone(turnId: string): PromptStrataError {
  const message = `What was drawn from turn ${JSON.stringify(turnId)} is not kept: the turn was forgotten or set aside meanwhile.`
  return new PromptStrataError("aborted", message)
}

/** The outcome of {@link ReceiptRecords.putWork}: for each memory, in their order, and how many statements were added. */
export interface WorkOutcome {
  readonly memories: readonly { readonly stored: boolean; readonly id: string }[]
  readonly statements: number
}

/** Keeps receipts of background work, one for each turn and kind. All methods may be called concurrently. */
export interface ReceiptRecords {
  /** Replaces the receipt of the same turn and kind, unless that one is final: `ok`, `empty` or `skipped`. `ofTurn` as in {@link MemoryRecords.put}. */
  put(receipt: Receipt, options?: { readonly ofTurn?: boolean }): Promise<void>
  /**
   * Keeps what the background work of a turn leaves, in one step: all of it or nothing. `used` as in {@link MemoryRecords.markUsed},
   * `memories` as in {@link MemoryRecords.put}. `statementsOf` gives the statements to add to those that the key may see, unless the
   * turn's are there. `receiptsOf` gives the turn's receipts, each of another kind; both may be called again, and must only compute.
   * Rejects with `aborted` if the history lacks the turn, or that of a memory. Returns the receipts. Absent: each is kept by itself.
   */
  putWork?(
    work: {
      readonly used?: { readonly ids: readonly string[]; readonly atMs: number } | undefined
      readonly memories?: readonly { readonly memory: StoredMemory; readonly hash: string; readonly key: ServiceKey }[]
      readonly statementsOf?: ((known: readonly ProfileStatement[]) => readonly ProfileStatement[]) | undefined
    },
    options: {
      readonly turnId: string
      readonly key: ServiceKey
      readonly receiptsOf: (outcome: WorkOutcome) => readonly Receipt[]
    },
  ): Promise<readonly Receipt[]>
  /** A turn's receipts, in the order in which their kinds were first written. */
  ofTurn(turnId: string, key: ServiceKey): Promise<readonly Receipt[]>
  /** The receipts of several turns, in any order. Absent: each turn is asked for by itself. */
  ofTurns?(turnIds: readonly string[], key: ServiceKey): Promise<readonly Receipt[]>
  /** The receipts of the key's user that began since a moment, in all conversations, in any order. Daily limits add them up. */
  since(key: ServiceKey, sinceMs: number): Promise<readonly Receipt[]>
}

/**
 * Keeps bytes, such as pictures and files that messages name, one part of a {@link Store}. Bytes are kept once for each agent,
 * outside of everything that a turn reads. A session holds the bytes that were put under its key. All methods may be called
 * concurrently, also from several processes on one store.
 *
 * `forget` lets go of the bytes of a deleted session. When a speaker of a group is forgotten, the group goes on to hold only those
 * bytes whose id stands in a message that stays. Bytes that no session holds are deleted.
 */
export interface BlobRecords {
  /**
   * Keeps bytes for a session, and makes the session if it is missing. The id is the SHA-256 of the bytes in hexadecimal digits. Put
   * them before the commit whose messages name them. Throws `usage` for more than 20,000,000 bytes.
   */
  put(bytes: Uint8Array, key: SessionKey): Promise<{ readonly id: string }>
  /** The bytes of an id; undefined if the session does not hold them. */
  get(id: string, key: SessionKey): Promise<Uint8Array | undefined>
}
