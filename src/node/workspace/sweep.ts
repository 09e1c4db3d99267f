import { PromptStrataError } from "../../core/errors.ts"
import { errnoOf } from "./file-errors.ts"
import { historyFiles } from "./history.ts"
import { type OwnFolder, openOwnFolder, sweepLockFiles } from "./own-folder.ts"
import { namesIn } from "./walk-folders.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

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
