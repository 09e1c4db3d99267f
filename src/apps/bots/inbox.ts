import type { SessionKey } from "../../core/conversation.ts"
import type { Ports } from "../../core/ports.ts"
import type { TurnJournal } from "../../loop/turn/calls/turn-journal.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import { sessionRowId } from "../../memory/services/store/row-keys.ts"
import { repeat } from "../../memory/services/store/running-jobs.ts"
import type { WakeRecords } from "../../memory/services/store/store.ts"
import type { ReadyMessage } from "./take-message.ts"

/** Something that was done for a message. */
export type MessageRecord =
  /** The platform took these words. */
  | { readonly type: "sent"; readonly text: string }
  /** A person was asked about a call. */
  | { readonly type: "asked"; readonly id: string }
  /** A command or an answer to an approval was begun. */
  | { readonly type: "run" }
  | { readonly type: "began" | "ended"; readonly run: TurnJournal["runs"][number] }

/** A message that is kept until it is answered. Plain JSON: its files are `data:` URLs. */
export interface KeptMessage {
  readonly message: ReadyMessage
  /** The number of its job: each that follows says that the message is being answered. */
  readonly place: number
  /** How often a crash ended the answer. */
  readonly tries: number
  /** When it was taken, in milliseconds since 1970. */
  readonly takenMs: number
  readonly isDone?: true
}

/** A message that is to be answered, with what was done for it before. */
export interface OpenMessage extends KeptMessage {
  readonly key: SessionKey
  /** The id of its turn. */
  readonly turnId: string
  readonly records: readonly MessageRecord[]
  /** Resolves once it is kept. */
  add(record: MessageRecord): Promise<unknown>
}

interface InboxParts {
  readonly store: WakeRecords
  readonly ports: Pick<Ports, "clock" | "timers">
  /** Answers a message. False leaves it for the next process. */
  readonly answer: (message: OpenMessage) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** A message that nobody has said to be answered for so long is taken up. */
const leaseMs = 30_000
/** Records are deleted with their message. This is only the longest time. */
const keepMs = 30 * 86_400_000

/**
 * The messages of a bot, in its store: each is kept before it is answered, and known afterwards, so that one that comes twice is answered
 * once. One whose process died is taken up by the next, or by another one, with what was done for it. Every message is a line of jobs, of
 * which each is put before the last one is due: whoever puts the next one has the message.
 */
export class Inbox {
  readonly #parts: InboxParts
  /** The messages that this process answers, by conversation and turn. */
  readonly #running = new Map<string, Promise<void>>()
  #due: Promise<void> = Promise.resolve()

  constructor(parts: InboxParts) {
    this.#parts = parts
  }

  /** Keeps a message, and answers it. Resolves once it is kept, to false for one that is known. */
  async take(key: SessionKey, message: ReadyMessage, id: string): Promise<boolean> {
    const turnId = `message:${message.isEdit ? `${id}:${message.text}` : id}`
    const takenMs = this.#parts.ports.clock.nowMs()
    const job = this.#jobOf({ key: { ...key, user: message.from.id }, turnId }, { message, place: 0, tries: 0, takenMs })
    if (!(await this.#parts.store.put(job))) return false
    this.#begin(job, [])
    return true
  }

  /** Takes a message up whose job is due, unless it is being answered or was: one after the other, so that they keep their order. */
  due(job: Job): Promise<void> {
    this.#due = this.#due.catch(() => undefined).then(() => this.#takeUp(job))
    return this.#due
  }

  async #takeUp(job: Job): Promise<void> {
    const kept = job.payload as unknown as KeptMessage
    const { store } = this.#parts
    if (kept.isDone) return store.delete(job.key, recordsOf(job))
    if (this.#running.has(nameOf(job))) return
    const next = this.#jobOf(job, { ...kept, place: kept.place + 1, tries: kept.tries + 1 })
    if (!(await store.put(next))) return
    const jobs = await store.list({ agent: job.key.agent, conversation: job.key.conversation })
    const own = jobs.filter(({ turnId, key }) => turnId === recordsOf(job) && key.audience === job.key.audience)
    this.#begin(
      next,
      own
        .sort((a, b) => Number(a.payload.place) - Number(b.payload.place))
        .map(({ payload }) => payload as unknown as MessageRecord),
    )
  }

  /** Resolves once no message of a conversation, or of any, is being answered, but for one. */
  async idle(but?: OpenMessage): Promise<void> {
    const of = but && sessionRowId(but.key)
    const others = [...this.#running].filter(([name]) => !but || (name.startsWith(of ?? "") && name !== nameOf(but)))
    await Promise.all(others.map(([, running]) => running))
  }

  #begin(job: Job, records: readonly MessageRecord[]): void {
    const running = this.#answer(job, records)
      .catch(this.#parts.onError)
      .finally(() => this.#running.delete(nameOf(job)))
    this.#running.set(nameOf(job), running)
  }

  async #answer(job: Job, records: readonly MessageRecord[]): Promise<void> {
    const { store, ports, answer, onError } = this.#parts
    const kept = job.payload as unknown as KeptMessage
    let [place, count] = [kept.place, 0]
    const follow = (more: Partial<KeptMessage> = {}) => store.put(this.#jobOf(job, { ...kept, ...more, place: ++place }))
    const beats = repeat(ports.timers, leaseMs / 3, () => follow().catch(onError))
    const { key, turnId } = job
    try {
      const add = (record: MessageRecord) => store.put(this.#recordOf(job, record, kept.place * 10_000 + count++))
      const isDone = await answer({ ...kept, key, turnId, records, add })
      // Nothing of its words stays.
      if (isDone) await follow({ isDone: true, message: { id: "", text: "", from: kept.message.from, files: [] } })
    } finally {
      beats.stop()
    }
  }

  #jobOf({ key, turnId }: Pick<Job, "key" | "turnId">, payload: KeptMessage): Job {
    const atMs = this.#parts.ports.clock.nowMs()
    const id = JSON.stringify([sessionRowId(key), turnId, payload.place])
    return { id, kind: "message", key, turnId, atMs, dueMs: atMs + leaseMs, payload: { ...payload } }
  }

  #recordOf({ key, turnId }: Job, record: MessageRecord, place: number): Job {
    const atMs = this.#parts.ports.clock.nowMs()
    const of = recordsOf({ turnId })
    const id = JSON.stringify([sessionRowId(key), of, place])
    return { id, kind: "message-record", key, turnId: of, atMs, dueMs: atMs + keepMs, payload: { ...record, place } }
  }
}

const recordsOf = ({ turnId }: Pick<Job, "turnId">): string => `${turnId}/records`

const nameOf = ({ key, turnId }: Pick<OpenMessage, "key" | "turnId">): string => `${sessionRowId(key)}/${turnId}`
