import { setImmediate } from "node:timers/promises"
import { PromptStrataError } from "../../../core/errors.ts"
import type { Queries, SqlDatabase } from "../sql/sql-database.ts"

/** How long the writes of a file have waited for other processes, in all. */
export interface Waits {
  ms: number
}

/** Runs a write transaction. Its wait for other processes counts from `sinceMs` of {@link Waits}. */
type Transact = <T>(work: (db: Queries) => Promise<T>, sinceMs: number) => Promise<T>

/** The parts of a file that writes share. */
interface SharedFile {
  readonly exec: (sql: string) => void
  readonly waits: Waits
}

/** A write that waits for its transaction. */
interface Write {
  /** The waits of the file's writes when this one was asked for. Those from then on are waits of this one too. */
  readonly sinceMs: number
  readonly work: (db: Queries) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The most writes of one transaction. What else the process has to do waits as long as they take. */
const mostInGroup = 64

/**
 * Writes that wait at the same time share a transaction, because each transaction waits for the disk. Each write stays all or nothing:
 * one that throws an error of this library is taken back alone. No write settles before the transaction has, not even one that failed,
 * because it may have seen what the others wrote. If the transaction itself fails, nothing of it is left, and each write is done again
 * in one of its own.
 */
export function groupCommit(transaction: Transact, file: SharedFile): SqlDatabase["write"] {
  const waiting: Write[] = []
  let isWriting = false

  const writeAll = async (): Promise<void> => {
    // Writes of the same round of the event loop join the first one.
    await setImmediate()
    while (waiting.length > 0) {
      // Of several that wait, each has come in a round of the event loop that may bring more. One alone does not wait for more rounds.
      for (let known = 1; waiting.length > known && waiting.length < mostInGroup; await setImmediate()) known = waiting.length
      await writeGroup(transaction, file, waiting)
      // Work of others comes in between.
      if (waiting.length > 0) await setImmediate()
    }
    isWriting = false
  }

  return <T>(work: (db: Queries) => Promise<T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    waiting.push({ sinceMs: file.waits.ms, work, resolve: (value) => resolve(value as T), reject })
    if (!isWriting) void writeAll()
    isWriting = true
    return promise
  }
}

async function writeGroup(transaction: Transact, file: SharedFile, waiting: Write[]): Promise<void> {
  let group: Write[] = []
  const { sinceMs = file.waits.ms } = waiting[0] ?? {}
  try {
    const settle = await transaction(async (db) => {
      // Taken only now: others have come while the file was busy. The same group again after a fault.
      if (group.length === 0) group = waiting.splice(0, mostInGroup)
      const [first] = group
      if (group.length === 1 && first) return [settledBy(first, await first.work(db))]
      const outcomes: (() => void)[] = []
      for (const write of group) outcomes.push(await writeOne(db, write, file.exec))
      return outcomes
    }, sinceMs)
    for (const each of settle) each()
  } catch (error) {
    // A file that is closed, or busy for too long, refuses before it asks for any work. Those that came meanwhile wait on.
    if (group.length === 0) {
      const younger = waiting.findIndex((write) => write.sinceMs > sinceMs)
      group = waiting.splice(0, younger < 0 ? waiting.length : younger)
    } else if (group.length > 1) return writeAlone(transaction, group)
    for (const { reject } of group) reject(error)
  }
}

/** Does a write within a transaction of several. Returns the way to settle it once the transaction is durable. */
async function writeOne(db: Queries, write: Write, exec: (sql: string) => void): Promise<() => void> {
  exec("savepoint one")
  try {
    const value = await write.work(db)
    exec("release one")
    return settledBy(write, value)
  } catch (error) {
    // Others, such as a full disk, can end the whole transaction.
    if (!PromptStrataError.isInstance(error)) throw error
    exec("rollback to one")
    exec("release one")
    return () => write.reject(error)
  }
}

async function writeAlone(transaction: Transact, group: readonly Write[]): Promise<void> {
  for (const { work, sinceMs, resolve, reject } of group) await transaction(work, sinceMs).then(resolve, reject)
}

const settledBy =
  ({ resolve }: Write, value: unknown): (() => void) =>
  () =>
    resolve(value)
