import { errnoOf, fileError, ignoring } from "./file-errors.ts"
import { closeAfter, closeOnFailure, openFlags, removeIfThere, statIfThere } from "./file-system.ts"
import { makeFolder, namesIn, type OpenFolder, openRootFolder, type WorkspaceRoot } from "./folders.ts"
import { ownName } from "./paths.ts"

/** Only the owner may enter: the history holds former contents of files. */
const ownMode = 0o700

/** The workspace's own folder and the history in it, both open. */
export interface OwnFolder {
  readonly folder: OpenFolder
  readonly history: OpenFolder
  close(): Promise<void>
}

/** Opens `.promptstrata`. When it is missing, it is created with `create`, else the result is `undefined`. A link is refused. */
export async function openOwnFolder(root: WorkspaceRoot, { create }: { create: boolean }): Promise<OwnFolder | undefined> {
  const outer = await openRootFolder(root)
  return closeAfter(outer, async () => {
    const folder = await enterOwn(root, outer, { name: ownName, create })
    return closeOnFailure(folder, async () => {
      const history = folder && (await enterOwn(root, folder, { name: "history", create }))
      if (!history) return undefined
      const close = async () => {
        await history.close()
        await folder.close()
      }
      return { folder, history, close }
    })
  })
}

async function enterOwn(root: WorkspaceRoot, folder: OpenFolder, { name, create }: { name: string; create: boolean }) {
  const found = await folder.enter(name).catch(ignoring("ENOENT"))
  return found || !create ? found : makeFolder(root, folder, name, ownMode)
}

const lockName = "lock"
const newLockPrefix = "lock-"

/**
 * The path of the lock file, which is created when missing. Only the lock itself may open this file: closing any descriptor of a
 * file releases all locks of the process on it.
 */
export async function lockPath(root: WorkspaceRoot, folder: OpenFolder, id: string): Promise<string> {
  const path = folder.at(lockName)
  const stats = await statIfThere(root.fs, path)
  // It has two names for a moment while another process creates it.
  if (stats && (stats.kind !== "file" || stats.links > 2))
    throw fileError("file-kind", `${ownName}/${lockName}`, "expected an empty file, found something else.", {
      hint: "Remove it: the workspace makes it anew.",
    })
  if (!stats) await makeLockFile(root, folder, { path, id })
  return path
}

/** Creates the file under another name first, so that this process never opens a file on which it may hold a lock. */
async function makeLockFile(root: WorkspaceRoot, folder: OpenFolder, { path, id }: { path: string; id: string }): Promise<void> {
  const fresh = folder.at(newLockPrefix + id)
  await (await root.fs.open(fresh, openFlags.create, 0o600)).close()
  try {
    await root.fs.link(fresh, path)
  } catch (error) {
    const code = errnoOf(error) ?? ""
    if (noHardLinks.has(code)) await root.fs.rename(fresh, path)
    // Another process created the lock, and may have removed our file as a leftover.
    else if (code !== "EEXIST" && code !== "ENOENT") throw error
  } finally {
    await removeIfThere(root.fs, fresh)
  }
}

/** The errors of file systems that have no hard links. */
const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** The files left behind by processes that ended while they created the lock file. */
export async function lockLeftovers(root: WorkspaceRoot, folder: OpenFolder): Promise<readonly string[]> {
  return (await namesIn(root, folder)).filter((name) => name.startsWith(newLockPrefix))
}
