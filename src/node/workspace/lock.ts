import { pathToFileURL } from "node:url"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { RandomSource, Timers } from "../../core/ports.ts"
import { errnoOf, fileError, stopIfAborted } from "./file-errors.ts"

type Sqlite = typeof import("node:sqlite")
type Database = InstanceType<Sqlite["DatabaseSync"]>

/** How to wait for a lock. */
export interface LockOptions {
  readonly timers: Timers
  readonly random: RandomSource
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const longestWaitMs = 50

/**
 * Locks a file against all other processes and threads. Resolves to the function that unlocks it. The file must exist and be
 * empty. It is a lock of the kernel, taken by SQLite, and ends with its process, so none is left behind. Throws `file-busy`
 * after `timeoutMs`.
 */
export async function lockFile(path: string, { timers, random, timeoutMs, signal }: LockOptions): Promise<() => void> {
  const sqlite = await loadSqlite()
  let waitedMs = 0
  for (let round = 0; ; round++) {
    stopIfAborted(signal)
    const unlock = tryLock(sqlite, path)
    if (unlock) return unlock
    if (waitedMs >= timeoutMs) throw busyError(timeoutMs)
    // Random, so that waiting processes do not try at the same time again and again.
    const delayMs = Math.ceil(Math.min(longestWaitMs, 2 ** Math.min(round + 1, 6)) * (0.5 + random() / 2))
    await new Promise<void>((resume) => timers.set(resume, delayMs))
    waitedMs += delayMs
  }
}

function busyError(timeoutMs: number): Error {
  return fileError("file-busy", ".", `expected the workspace to be free within ${timeoutMs} ms, found another process writing.`, {
    hint: "Try again, or look for a process that hangs.",
  })
}

/** `undefined` while another process holds the lock. Nothing is written: the transaction is only a lock. */
function tryLock(sqlite: Sqlite, path: string): (() => void) | undefined {
  let database: Database | undefined
  try {
    database = openDatabase(sqlite, path)
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE")
    const held = database
    return () => held.close()
  } catch (error) {
    if (database?.isOpen) database.close()
    if (isBusy(error)) return undefined
    throw new PromptStrataError("file", `The workspace could not be locked: ${messageOf(error)}`, {
      cause: error,
      evidence: { path: ".", operation: "lock", code: errnoOf(error) ?? "unknown" },
      hint: "Is .promptstrata/lock an empty file that this program's user may write to?",
    })
  }
}

function openDatabase({ DatabaseSync }: Sqlite, path: string): Database {
  const url = pathToFileURL(path)
  // Never creates a file: a link in its place could lead anywhere.
  url.searchParams.set("mode", "rw")
  try {
    return new DatabaseSync(url)
  } catch (error) {
    // Node before 22.15 accepts only paths.
    if (errnoOf(error) === "ERR_INVALID_ARG_TYPE") return new DatabaseSync(path)
    throw error
  }
}

/** True for SQLITE_BUSY and SQLITE_LOCKED with any extended code. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return false
  const code = error.errcode & 0xff
  return code === 5 || code === 6
}

async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite")
  } catch (cause) {
    throw new PromptStrataError(
      "missing-dependency",
      "Writing to a workspace needs node:sqlite, which this Node was built without.",
      { cause, hint: "Use Node 22.13 or newer from nodejs.org." },
    )
  }
}
