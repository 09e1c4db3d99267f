import { pathToFileURL } from "node:url"
import { invariant, messageOf, PromptStrataError } from "../../core/errors.ts"
import type { RandomSource, Timers } from "../../core/ports.ts"
import { growingWaitMs } from "../../core/timers.ts"
import { createKeyedQueue } from "../../memory/services/keyed-queue.ts"
import { findTarget, readTarget } from "./change-file.ts"
import { finishEntry, type HistoryEntry, type HistoryFile, historyFiles, readEntry } from "./change-history.ts"
import { errnoOf, fileError, stopIfAborted } from "./file-errors.ts"
import { closeAfter, removeIfThere } from "./file-system.ts"
import type { WorkspaceRoot } from "./folders.ts"
import { lockLeftovers, lockPath, type OwnFolder, openOwnFolder } from "./own-folder.ts"
import { ownName, splitPath } from "./paths.ts"

/** Tasks of this process run one after another, so that only one of them waits for the lock of other processes. */
const queue = createKeyedQueue()

/** Runs a task while no other task or process changes the workspace. What interrupted changes left behind is cleaned up first. */
export function withLock<T>(
  root: WorkspaceRoot,
  options: LockOptions & { readonly nextId: () => string },
  task: (own: OwnFolder) => Promise<T>,
): Promise<T> {
  return queue.enqueue(root.path, async () => {
    stopIfAborted(options.signal)
    const own = await openOwnFolder(root, { create: true })
    invariant(own, "a folder that was created is missing")
    return closeAfter(own, async () => {
      const unlock = await lockFile(await lockPath(root, own.folder, options.nextId()), options)
      try {
        await recover(root, own)
        return await task(own)
      } finally {
        unlock()
      }
    })
  })
}

/**
 * Cleans up after interrupted changes: removes their temporary files, and keeps or drops their pending entries. Only the holder
 * of the lock may call it, as it alone knows that the process of every pending change has ended.
 */
async function recover(root: WorkspaceRoot, own: OwnFolder): Promise<void> {
  for (const file of await historyFiles(root, own.history)) {
    if (!file.pending) continue
    try {
      await recoverEntry(root, own, file)
    } catch {
      // One entry that cannot be cleaned up must not stop all changes. It is tried again before the next one.
    }
  }
}

async function recoverEntry(root: WorkspaceRoot, own: OwnFolder, file: HistoryFile): Promise<void> {
  const entry = await readEntry(root, own.history, file)
  if (entry && (await wasMade(root, entry))) await finishEntry(root, own.history, file)
  else await root.fs.remove(own.history.at(file.name))
}

/** A change was not made when its temporary file still exists, or when the file holds what it held before. */
async function wasMade(root: WorkspaceRoot, { record, temporary }: HistoryEntry): Promise<boolean> {
  const target = await findTarget(root, splitPath(record.path, root.hidden))
  if (!target) return record.afterHash === undefined
  return closeAfter(target.folder, async () => {
    const wasUnfinished = isTemporaryName(temporary) && (await removeIfThere(root.fs, target.folder.at(temporary)))
    const wasDone = !wasUnfinished && (await readTarget(root, target, undefined))?.hash !== record.beforeHash
    // What the entry says from now on must be so after a loss of power, too.
    await target.folder.sync()
    return wasDone
  })
}

/** An entry can be forged, so only names of the workspace's temporary files are removed. */
function isTemporaryName(name: string): boolean {
  return name.startsWith(`${ownName}-`) && name.endsWith(".tmp") && !name.includes("/")
}

/**
 * Cleans up, when a workspace is opened, what ended processes left behind. When that is not possible, because another process is
 * writing or this one has no permission, it is left for the next change: a workspace can always be opened for reading.
 */
export async function removeLeftovers(
  root: WorkspaceRoot,
  lock: (task: (own: OwnFolder) => Promise<void>) => Promise<void>,
): Promise<void> {
  try {
    if (!(await hasLeftovers(root))) return
    await lock(async ({ folder }) => {
      for (const name of await lockLeftovers(root, folder)) await removeIfThere(root.fs, folder.at(name))
    })
  } catch (error) {
    if (!PromptStrataError.isInstance(error) && errnoOf(error) === undefined) throw error
  }
}

async function hasLeftovers(root: WorkspaceRoot): Promise<boolean> {
  const own = await openOwnFolder(root, { create: false })
  if (!own) return false
  return closeAfter(own, async () => {
    if ((await historyFiles(root, own.history)).some(({ pending }) => pending)) return true
    return (await lockLeftovers(root, own.folder)).length > 0
  })
}

type Sqlite = typeof import("node:sqlite")
type Database = InstanceType<Sqlite["DatabaseSync"]>

/** How to wait for a lock. */
interface LockOptions {
  readonly timers: Timers
  readonly random: RandomSource
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

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
    if (waitedMs >= timeoutMs) {
      const message = `expected the workspace to be free within ${timeoutMs} ms, found another process writing.`
      throw fileError("file-busy", ".", message, { hint: "Try again, or look for a process that hangs." })
    }
    // Random, so that waiting processes do not try at the same time again and again.
    const delayMs = growingWaitMs(round + 1, { baseMs: 2, maxMs: 50 }, random)
    await new Promise<void>((resume) => timers.set(resume, delayMs))
    waitedMs += delayMs
  }
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

function loadSqlite(): Promise<Sqlite> {
  return import("node:sqlite").catch((cause: unknown) => {
    const message = "Writing to a workspace needs node:sqlite, which this Node was built without."
    throw new PromptStrataError("missing-dependency", message, { cause, hint: "Use Node 22.13 or newer from nodejs.org." })
  })
}
