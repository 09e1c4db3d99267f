import type { SessionKey } from "../../core/conversation.ts"
import type { Ports, Timers } from "../../core/ports.ts"
import type { TurnJournal } from "../../loop/turn/calls/turn-journal.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import { sessionRowId } from "../../memory/services/store/rows/row-tables.ts"
import { repeat } from "../../memory/services/store/running-jobs.ts"
import type { WakeRecords } from "../../memory/services/store/store.ts"
import type { BotMessage } from "./bot-message.ts"
import type { ReadyMessage } from "./take-message.ts"

/** Platforms send the parts of an album at once, one behind the other. */
const waitMs = 1_000
/** A message has at most so many files. */
const maxParts = 20

/**
 * An album of which more parts may come: it is whole once all that came are kept and no other has come for a second. A part that comes
 * twice counts once.
 */
class Album {
  /** Resolves once no further part is taken. */
  readonly whole: Promise<void>
  /** Resolves to false if its parts are messages of their own, because they came too late. */
  readonly isOpen: Promise<boolean>
  readonly #timers: Timers
  readonly #places = new Map<string, number>()
  readonly #end: () => void
  #isOver = false
  #loading = 0
  #timer: unknown

  constructor(timers: Timers, open: (album: Album) => Promise<boolean>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#timers = timers
    this.whole = promise
    this.#end = () => {
      this.#isOver = true
      resolve()
    }
    this.isOpen = open(this)
  }

  /** Waits for a part until `release`, and gives it its place. Undefined if the part comes too late, or is one too many. */
  hold(id: string): number | undefined {
    const place = this.#places.get(id) ?? this.#places.size
    if (this.#isOver || place === maxParts) return undefined
    this.#places.set(id, place)
    this.#loading++
    this.#timers.clear(this.#timer)
    return place
  }

  release(): void {
    this.#loading--
    if (this.#loading === 0) this.#timer = this.#timers.set(this.#end, waitMs)
  }
}

/** The message of an album. It is known by the id of the part with words, because those are what a person edits. */
function joined(first: ReadyMessage, parts: readonly ReadyMessage[]): ReadyMessage {
  if (parts.length === 1) return first
  const texts = parts.map(({ text }) => text).filter((text) => text.trim() !== "")
  return {
    ...first,
    id: (parts.find(({ hasWords }) => hasWords) ?? first).id,
    text: texts.join("\n"),
    files: parts.flatMap(({ files }) => files),
    mentions: parts.flatMap(({ mentions }) => mentions ?? []),
    replyTo: parts.find(({ replyTo }) => replyTo !== undefined)?.replyTo,
  }
}

/** Something that was done for a message. */
export type MessageRecord =
  /** It came: all of it, or a part of an album. Plain JSON: its files are `data:` URLs. */
  | { readonly type: "message"; readonly message: ReadyMessage }
  /** The platform took these words. */
  | { readonly type: "sent"; readonly text: string }
  /** A person was asked about a call. */
  | { readonly type: "asked"; readonly id: string }
  /** A command or an answer to an approval was begun. */
  | { readonly type: "run" }
  | { readonly type: "began" | "ended"; readonly run: TurnJournal["runs"][number] }

/** The life of a message that is kept until it is answered. Its words are a record, so that they are written once. */
interface KeptMessage {
  /** The number of its job: each that follows says that the message is being answered. */
  readonly place: number
  /** How often a crash ended the answer. */
  readonly tries: number
  /** When it was taken, in milliseconds since 1970. */
  readonly takenMs: number
  /** True while more parts of the album may come. */
  readonly isComing?: boolean
  readonly isDone?: true
}

/** A message that is to be answered, with what was done for it before. */
export interface InboxEntry extends KeptMessage {
  readonly key: SessionKey
  readonly message: ReadyMessage
  /** The id of its turn. */
  readonly turnId: string
  readonly records: readonly MessageRecord[]
  /** Resolves once it is kept. */
  add(record: MessageRecord): Promise<unknown>
}

/** A message to be answered: its records if they are known, and its album while that is coming in. */
interface BegunMessage {
  readonly records?: readonly MessageRecord[]
  readonly album?: Album | undefined
}

interface InboxParts {
  readonly store: WakeRecords
  readonly ports: Pick<Ports, "clock" | "timers" | "ids">
  /** Answers a message. False leaves it for the next process. */
  readonly answer: (message: InboxEntry) => Promise<boolean>
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
  readonly #albums = new Map<string, Album>()
  #due: Promise<void> = Promise.resolve()

  constructor(parts: InboxParts) {
    this.#parts = parts
  }

  /** Keeps a message, and answers it unless it is known. Resolves once it is kept. */
  async take(at: SessionKey, message: BotMessage, load: () => Promise<ReadyMessage | undefined>): Promise<void> {
    const { store, ports } = this.#parts
    const life = { place: 0, tries: 0, takenMs: ports.clock.nowMs() }
    const { from, isEdit = false } = message
    const key = { ...at, user: from.id }
    const id = message.id || ports.ids.next("message")
    const album = JSON.stringify([from.id, message.album])
    const isPart = message.album !== undefined && !isEdit
    const joining = isPart
      ? this.#join(this.#jobOf({ key, turnId: `message:album:${album}` }, { ...life, isComing: true }), id)
      : undefined
    try {
      const ready = await load()
      if (ready === undefined) return
      const own = this.#jobOf({ key, turnId: `message:${isEdit ? `${id}:${ready.text}` : id}` }, life)
      const record = { type: "message", message: ready } as const
      if (joining && (await joining.album.isOpen)) {
        await store.put(this.#recordOf(joining.job, record, { place: joining.place - maxParts, name: id }))
        // A part that comes again is known, also once its album is answered.
        await store.put({ ...own, payload: { ...life, isDone: true } })
        return
      }
      const isNew = await store.put(this.#recordOf(own, record, { place: -1 }))
      if (await store.put(own)) this.#begin(own, { records: [record] })
      else if (isNew) await store.delete(key, wordsOf(own))
    } finally {
      joining?.album.release()
    }
  }

  /** Lets a part join its album, which then waits for it. Undefined for a part that is one too many. */
  #join(job: Job, id: string) {
    const name = nameOf(job)
    const { store, ports } = this.#parts
    const known = this.#albums.get(name)
    const open = async (own: Album): Promise<boolean> => {
      const isFirst = await store.put(job)
      if (isFirst) this.#begin(job, { album: own })
      else void own.whole.then(() => this.#albums.delete(name))
      return isFirst || (await this.#jobsOf(job, [job.turnId])).at(-1)?.payload.isComing === true
    }
    const album = known ?? new Album(ports.timers, open)
    this.#albums.set(name, album)
    const place = album.hold(id)
    return place === undefined ? undefined : { album, place, job }
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
    const next = this.#jobOf(job, { ...kept, place: kept.place + 1, tries: kept.tries + 1, isComing: false })
    if (!(await store.put(next))) return
    this.#begin(next, { album: this.#albums.get(nameOf(job)) })
  }

  /** The jobs of these names, each in its place. */
  async #jobsOf({ key }: Job, names: readonly string[]): Promise<readonly Job[]> {
    const jobs = await this.#parts.store.list({ agent: key.agent, conversation: key.conversation })
    const own = jobs.filter(({ turnId, key: { audience } }) => names.includes(turnId) && audience === key.audience)
    return own.sort((a, b) => Number(a.payload.place) - Number(b.payload.place))
  }

  /** Resolves once no message of a conversation, or of any, is being answered, but for one. */
  async idle(but?: InboxEntry): Promise<void> {
    const of = but && sessionRowId(but.key)
    const others = [...this.#running].filter(([name]) => !but || (name.startsWith(of ?? "") && name !== nameOf(but)))
    await Promise.all(others.map(([, running]) => running))
  }

  #begin(job: Job, begun: BegunMessage): void {
    const running = this.#answer(job, begun)
      .catch(this.#parts.onError)
      .finally(() => this.#running.delete(nameOf(job)))
    this.#running.set(nameOf(job), running)
  }

  async #answer(job: Job, { album, ...begun }: BegunMessage): Promise<void> {
    const { store, ports, answer, onError } = this.#parts
    let kept = job.payload as unknown as KeptMessage
    const [firstPlace, { key, turnId }] = [kept.place * 10_000, job]
    let count = 0
    const follow = (more: Partial<KeptMessage> = {}) => {
      kept = { ...kept, ...more, place: kept.place + 1 }
      return store.put(this.#jobOf(job, kept))
    }
    const beats = repeat(ports.timers, leaseMs / 3, () => follow().catch(onError))
    try {
      if (album) await album.whole.then(() => follow({ isComing: false }))
      this.#albums.delete(nameOf(job))
      const found = begun.records ?? (await this.#jobsOf(job, [wordsOf(job), recordsOf(job)])).map(({ payload }) => payload)
      const records = found as unknown as readonly MessageRecord[]
      const parts = records.flatMap((record) => (record.type === "message" ? [record.message] : []))
      const add = (record: MessageRecord) => store.put(this.#recordOf(job, record, { place: firstPlace + count++ }))
      const [first] = parts
      // Nothing is left of one whose file could not be loaded.
      const isDone = !first || (await answer({ ...kept, key, turnId, message: joined(first, parts), records, add }))
      if (!isDone) return
      await follow({ isDone: true })
      await store.delete(key, wordsOf(job))
    } finally {
      beats.stop()
    }
  }

  #jobOf({ key, turnId }: Pick<Job, "key" | "turnId">, payload: KeptMessage): Job {
    const atMs = this.#parts.ports.clock.nowMs()
    const id = JSON.stringify([sessionRowId(key), turnId, payload.place])
    return { id, kind: "message", key, turnId, atMs, dueMs: atMs + leaseMs, payload: { ...payload } }
  }

  #recordOf(job: Job, record: MessageRecord, { place, name }: { readonly place: number; readonly name?: string }): Job {
    const { key } = job
    const atMs = this.#parts.ports.clock.nowMs()
    const turnId = record.type === "message" ? wordsOf(job) : recordsOf(job)
    const id = JSON.stringify([sessionRowId(key), turnId, name ?? place])
    return { id, kind: "message-record", key, turnId, atMs, dueMs: atMs + keepMs, payload: { ...record, place } }
  }
}

const recordsOf = ({ turnId }: Pick<Job, "turnId">): string => `${turnId}/records`

const wordsOf = ({ turnId }: Pick<Job, "turnId">): string => `${turnId}/words`

const nameOf = ({ key, turnId }: Pick<InboxEntry, "key" | "turnId">): string => `${sessionRowId(key)}/${turnId}`
