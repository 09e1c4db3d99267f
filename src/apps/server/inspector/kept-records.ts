import { createHash } from "node:crypto"
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { messageOf } from "../../../core/errors.ts"
import { clipped } from "../../../core/graphemes.ts"
import { parsedJson } from "../../../core/json-access.ts"
import type { Clock } from "../../../core/ports.ts"
import { createKeyedQueue } from "../../../memory/services/keyed-queue.ts"
import type { ForgottenScope } from "../../../memory/services/store/forgetting.ts"
import { type HeldWords, type IsStored, mayHold } from "./may-hold.ts"
import type { TurnRecord, TurnSummary } from "./turn-record.ts"

/** A folder in which an inspector keeps the records of turns, and its bounds: the oldest ones go first. */
export interface KeepOptions {
  /** It is made when the first turn is kept. Several inspectors may share it. */
  readonly folder: string
  /** Default 2,000. */
  readonly maxTurns?: number
  /** The bytes of all files. Default 256,000,000. */
  readonly maxBytes?: number
  /** Default 30. */
  readonly maxDays?: number
}

/** The first line of a file; the second one is the record. */
interface Head {
  readonly version: 1
  readonly summary: TurnSummary
  readonly hasMemory: boolean
}

interface Entry extends Head {
  readonly file: string
  readonly bytes: number
}

/** The question and the answer are cut to this in the first line. */
const maxListed = 2_000

/** The first line of a file is at most this long. */
const maxHeadBytes = 64_000

/** Damaged files that are left for a person to look at. */
const maxDamaged = 10

/** Records that may wait for a slow disk. */
const maxWaiting = 50

/** The names of records. Other files of the folder are left alone. */
const fileName = /^\d{15}-[\w-]+\.json$/u

/** The names of files that are no records yet, or no longer. */
const otherName = /^\d{15}-[\w-]+\.json\.(?:damaged|[\w-]+\.tmp)$/u

/** A file that is being written is no older than this. */
const maxWriteMs = 60_000

const dayMs = 86_400_000

/** Records of turns on the disk: one file each, written whole and then named, so that none is ever half. */
export class KeptRecords {
  readonly #options: Required<KeepOptions>
  readonly #clock: Clock
  readonly #onWarning: (message: string) => void
  /** By the name of their files. */
  readonly #entries = new Map<string, Entry>()
  /** Tasks run one after another. */
  readonly #tasks = createKeyedQueue()
  #waiting = 0

  constructor(options: KeepOptions, clock: Clock, onWarning: (message: string) => void) {
    this.#options = { maxTurns: 2_000, maxBytes: 256_000_000, maxDays: 30, ...options }
    this.#clock = clock
    this.#onWarning = onWarning
  }

  /** The turns that the folder has now, oldest first. */
  summaries(): Promise<readonly TurnSummary[]> {
    return this.#tasks.enqueue("folder", async () => {
      await this.#look()
      return this.#sorted().map(({ summary }) => summary)
    })
  }

  /** The record of a turn; undefined if it is not kept. */
  read(id: string): Promise<TurnRecord | undefined> {
    return this.#tasks.enqueue("folder", async () => {
      await this.#look()
      const entry = this.#sorted().findLast(({ summary }) => summary.id === id)
      if (!entry) return undefined
      const text = await readFile(this.#path(entry.file), "utf8").catch(() => undefined)
      const record = text === undefined ? undefined : parsedJson(text.slice(text.indexOf("\n") + 1))
      if (isTurnRecord(record)) return record
      if (text !== undefined) await this.#setAside(entry.file)
      this.#entries.delete(entry.file)
      return undefined
    })
  }

  /** Keeps the record that `make` makes in its time, behind the facts about it. It never rejects: a failure is a warning. */
  save(id: string, make: () => Promise<Omit<Head, "version"> & { readonly record: TurnRecord }>): Promise<void> {
    const write = async (): Promise<void> => {
      // It waits no more, whatever comes of it: the next one sees that.
      if (this.#waiting-- > maxWaiting) throw new Error(`${maxWaiting} others wait for the disk.`)
      const { record, summary, hasMemory } = await make()
      const head = JSON.stringify({ version: 1, summary: listed(summary), hasMemory } satisfies Head)
      const text = `${head}\n${JSON.stringify(record)}\n`
      const [bytes, { folder, maxBytes }] = [Buffer.byteLength(text), this.#options]
      if (bytes > maxBytes) throw new Error(`it has ${bytes} bytes; the bound is ${maxBytes}.`)
      if (Buffer.byteLength(head) >= maxHeadBytes) throw new Error("the names in it are too long.")
      const file = fileOf(record)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const fresh = this.#path(`${file}.${crypto.randomUUID()}.tmp`)
      await writeFile(fresh, text, { mode: 0o600, flag: "wx", flush: true })
      await rename(fresh, this.#path(file))
      this.#entries.delete(file)
      await this.#look()
      // A turn that waited for an approval, perhaps until after a restart, has one record.
      for (const { file: old, summary: of } of this.#sorted()) if (of.id === summary.id && old !== file) await this.#delete(old)
    }
    this.#waiting++
    return this.#tasks
      .enqueue("folder", write)
      .catch((error: unknown) => this.#onWarning(`The record of turn ${id} was not kept: ${messageOf(error)}`))
  }

  /** Deletes all records that may hold words of a scope, and damaged files, of which nobody can tell whose words they hold. Counts the records. */
  forget(scope: ForgottenScope, isStored: IsStored): Promise<number> {
    return this.#tasks.enqueue("folder", async () => {
      await this.#look()
      const words = [...this.#entries.values()].map(({ file, summary: { session, speaker }, hasMemory }): HeldWords => {
        return { id: file, session, user: speaker.id, hasMemory }
      })
      const held = await mayHold(words, scope, isStored)
      for (const file of held) await this.#delete(file)
      for (const name of await this.#names()) if (otherName.test(name)) await this.#delete(name)
      return held.size
    })
  }

  #path(name: string): string {
    return join(this.#options.folder, name)
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#options.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    })
  }

  #sorted(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => (a.file < b.file ? -1 : 1))
  }

  async #delete(name: string): Promise<void> {
    await rm(this.#path(name), { force: true })
    this.#entries.delete(name)
  }

  /** Follows the folder: other programs keep, forget and prune in it too. */
  async #look(): Promise<void> {
    const names = await this.#names()
    const there = new Set(names)
    for (const file of [...this.#entries.keys()]) if (!there.has(file)) this.#entries.delete(file)
    for (const name of names) {
      if (!fileName.test(name) || this.#entries.has(name)) continue
      const entry = await this.#readHead(name)
      if (entry) this.#entries.set(name, entry)
      else if (entry === undefined) await this.#setAside(name)
    }
    const others = names.filter((name) => otherName.test(name)).sort()
    for (const name of others.filter((name) => name.endsWith(".tmp"))) {
      const state = await stat(this.#path(name)).catch(() => undefined)
      if (state && Date.now() - state.mtimeMs > maxWriteMs) await this.#delete(name)
    }
    const damaged = others.filter((name) => name.endsWith(".damaged"))
    for (const name of damaged.slice(0, -maxDamaged)) await this.#delete(name)
    await this.#prune()
  }

  /** Undefined for a damaged file, and null for one that is gone. */
  async #readHead(name: string): Promise<Entry | undefined | null> {
    const file = await open(this.#path(name)).catch(() => undefined)
    if (!file) return null
    try {
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0)
      const start = buffer.subarray(0, bytesRead).toString("utf8")
      const head = parsedJson(start.slice(0, Math.max(0, start.indexOf("\n"))))
      return isHead(head) ? { ...head, file: name, bytes: size } : undefined
    } finally {
      await file.close()
    }
  }

  async #setAside(name: string): Promise<void> {
    await rename(this.#path(name), this.#path(`${name}.damaged`)).catch(() => undefined)
    this.#onWarning(`The record ${this.#path(name)} is damaged. It was set aside as ${name}.damaged; the page does not show it.`)
  }

  async #prune(): Promise<void> {
    const { maxTurns, maxBytes, maxDays } = this.#options
    const entries = this.#sorted()
    const oldest = this.#clock.nowMs() - maxDays * dayMs
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
    let left = entries.length
    for (const entry of entries) {
      if (left <= maxTurns && bytes <= maxBytes && entry.summary.startedMs >= oldest) return
      await this.#delete(entry.file)
      bytes -= entry.bytes
      left--
    }
  }
}

/** A name that sorts by time. An id that cannot be a name is named by its hash. */
function fileOf({ id, startedMs }: TurnRecord): string {
  const name = /^[\w-]{1,100}$/u.test(id) ? id : createHash("sha256").update(id).digest("hex")
  return `${String(startedMs).padStart(15, "0")}-${name}.json`
}

function listed(summary: TurnSummary): TurnSummary {
  return { ...summary, question: clipped(summary.question, maxListed), answer: clipped(summary.answer, maxListed) }
}

function isHead(value: unknown): value is Head {
  const { version, summary } = (value ?? {}) as Partial<Head>
  const { id, startedMs, session, speaker } = summary ?? {}
  return (
    version === 1 && typeof id === "string" && typeof startedMs === "number" && session !== undefined && speaker !== undefined
  )
}

function isTurnRecord(value: unknown): value is TurnRecord {
  return (value as TurnRecord | undefined)?.version === 1 && Array.isArray((value as TurnRecord).requests)
}
