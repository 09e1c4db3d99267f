import { createKeyedQueue } from "../../services/keyed-queue.ts"
import { type LockOptions, lockFile } from "./lock.ts"
import { lockPath, type OwnFolder, openOwnFolder } from "./own-folder.ts"
import { recover } from "./recover.ts"
import { stopIfAborted } from "./stop-if-aborted.ts"
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
