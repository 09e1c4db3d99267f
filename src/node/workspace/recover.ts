import { finishEntry, type HistoryFile, historyFiles, readEntry } from "./history.ts"
import type { HistoryEntry } from "./history-entry.ts"
import type { OwnFolder } from "./own-folder.ts"
import { ownName, splitPath } from "./path-rules.ts"
import { removeIfThere } from "./remove-if-there.ts"
import { findTarget, readTarget, type Target } from "./target.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/**
 * Clears up after changes that were cut off: removes their temporary files, and keeps or drops what was noted of them. The
 * workspace must be locked: whoever holds the lock knows that every other owner of a pending change is gone.
 */
export async function recover(root: WorkspaceRoot, own: OwnFolder): Promise<void> {
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
