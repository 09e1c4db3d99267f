import { PromptStrataError } from "../../core/errors.ts"
import { createKeyedQueue } from "../../services/keyed-queue.ts"
import { errnoOf, stopIfAborted } from "./file-errors.ts"
import { removeIfThere } from "./file-system.ts"
import { namesIn } from "./folders.ts"
import { finishEntry, type HistoryEntry, type HistoryFile, historyFiles, readEntry } from "./history.ts"
import { type LockOptions, lockFile } from "./lock.ts"
import { lockPath, type OwnFolder, openOwnFolder, sweepLockFiles } from "./own-folder.ts"
import { ownName, splitPath } from "./paths.ts"
import { findTarget, readTarget, type Target } from "./target.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** One at a time within this process, so that only one of its tasks waits for the others' lock. */
const queue = createKeyedQueue()

/** Runs a task while no other process or task changes the workspace, after clearing up what others left behind. */
export function locked<T>(
  root: WorkspaceRoot,
  options: LockOptions & { readonly nextId: () => string },
  task: (own: OwnFolder) => Promise<T>,
): Promise<T> {
  return queue.enqueue(root.path, async () => {
    stopIfAborted(options.signal)
    const own = await openOwnFolder(root, { create: true })
    if (!own) throw new Error("promptstrata invariant broken: a folder that was made is missing.")
    try {
      const unlock = await lockFile(await lockPath(root, own.folder, options.nextId()), options)
      try {
        await recover(root, own)
        return await task(own)
      } finally {
        unlock()
      }
    } finally {
      await own.close()
    }
  })
}

/**
 * Clears up after changes that were cut off: removes their temporary files, and keeps or drops what was noted of them. The
 * workspace must be locked: whoever holds the lock knows that every other owner of a pending change is gone.
 */
async function recover(root: WorkspaceRoot, own: OwnFolder): Promise<void> {
  for (const file of await historyFiles(root, own.history)) {
    if (!file.pending) continue
    try {
      await settleOne(root, own, file)
    } catch {
      // One that cannot be cleared now must not stop all others; it is tried again before the next change.
    }
  }
}

async function settleOne(root: WorkspaceRoot, own: OwnFolder, file: HistoryFile): Promise<void> {
  const entry = await readEntry(root, own.history, file)
  if (entry && (await wasMade(root, entry))) await finishEntry(root, own.history, file)
  else await root.fs.remove(own.history.at(file.name))
}

/** A change was not made when its temporary file is still there, or the file is what it was before. */
async function wasMade(root: WorkspaceRoot, { record, temporary }: HistoryEntry): Promise<boolean> {
  const target = await findTarget(root, splitPath(record.path, root.hidden))
  if (!target) return record.afterHash === undefined
  try {
    if (isOurs(temporary) && (await removeIfThere(root, target.folder.at(temporary)))) return false
    return (await hashOfTarget(root, target)) !== record.beforeHash
  } finally {
    await target.folder.close()
  }
}

async function hashOfTarget(root: WorkspaceRoot, target: Target): Promise<string | undefined> {
  return (await readTarget(root, target, { maxBytes: root.maxFileBytes }))?.hash
}

/** The history is only a file: nothing but our own temporary files is removed on its word. */
function isOurs(name: string): boolean {
  return name.startsWith(`${ownName}-`) && name.endsWith(".tmp") && !name.includes("/")
}

/**
 * Clears away what processes left behind that are gone. What cannot be cleared, because somebody is writing or may alone write
 * here, stays for the next change, so that a workspace can always be opened to read.
 */
export async function sweep(
  root: WorkspaceRoot,
  withLock: (task: (own: OwnFolder) => Promise<void>) => Promise<void>,
): Promise<void> {
  try {
    if (await hasLeftovers(root)) await withLock((own) => sweepLockFiles(root, own.folder))
  } catch (error) {
    if (!PromptStrataError.isInstance(error) && errnoOf(error) === undefined) throw error
  }
}

async function hasLeftovers(root: WorkspaceRoot): Promise<boolean> {
  const own = await openOwnFolder(root, { create: false })
  if (!own) return false
  try {
    if ((await historyFiles(root, own.history)).some(({ pending }) => pending)) return true
    return (await namesIn(root, own.folder)).some((name) => name.startsWith("lock-"))
  } finally {
    await own.close()
  }
}
