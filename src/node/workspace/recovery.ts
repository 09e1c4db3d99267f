import { invariant, PromptStrataError } from "../../core/errors.ts"
import { createKeyedQueue } from "../../services/keyed-queue.ts"
import { findTarget, readTarget } from "./change-file.ts"
import { errnoOf, stopIfAborted } from "./file-errors.ts"
import { removeIfThere } from "./file-system.ts"
import { finishEntry, type HistoryEntry, type HistoryFile, historyFiles, readEntry } from "./history.ts"
import { type LockOptions, lockFile } from "./lock.ts"
import { lockLeftovers, lockPath, type OwnFolder, openOwnFolder } from "./own-folder.ts"
import { ownName, splitPath } from "./paths.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

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
  try {
    if (isTemporaryName(temporary) && (await removeIfThere(root.fs, target.folder.at(temporary)))) return false
    return (await readTarget(root, target, undefined))?.hash !== record.beforeHash
  } finally {
    await target.folder.close()
  }
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
  try {
    if ((await historyFiles(root, own.history)).some(({ pending }) => pending)) return true
    return (await lockLeftovers(root, own.folder)).length > 0
  } finally {
    await own.close()
  }
}
