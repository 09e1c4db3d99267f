import { errnoOf, fileError, isAbsent } from "./file-errors.ts"
import { openFlags, removeIfThere } from "./file-system.ts"
import { makeFolder, namesIn, type OpenFolder, openRootFolder } from "./folders.ts"
import { ownName } from "./paths.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** For the owner alone: the history holds what files once said. */
const ownMode = 0o700

/** The workspace's own folder and the history in it, both open. */
export interface OwnFolder {
  readonly folder: OpenFolder
  readonly history: OpenFolder
  close(): Promise<void>
}

/** Opens `.promptstrata`, made where it is missing if `create`, else `undefined`. A link in its place is refused. */
export async function openOwnFolder(
  root: WorkspaceRoot,
  { create }: { readonly create: boolean },
): Promise<OwnFolder | undefined> {
  const outer = await openRootFolder(root)
  try {
    const folder = await enterOwn(root, outer, { name: ownName, create })
    if (!folder) return undefined
    try {
      const history = await enterOwn(root, folder, { name: "history", create })
      const close = async () => {
        await history?.close()
        await folder.close()
      }
      if (history) return { folder, history, close }
    } catch (error) {
      await folder.close()
      throw error
    }
    await folder.close()
    return undefined
  } finally {
    await outer.close()
  }
}

async function enterOwn(
  root: WorkspaceRoot,
  folder: OpenFolder,
  { name, create }: { readonly name: string; readonly create: boolean },
): Promise<OpenFolder | undefined> {
  try {
    return await folder.enter(name)
  } catch (error) {
    if (!isAbsent(error)) throw error
    if (!create) return undefined
    await folder.check()
    await makeFolder(root, folder, name, ownMode)
    return folder.enter(name)
  }
}

/**
 * The path of the lock file, made where it is missing. It is never opened again but by the lock itself: closing any
 * descriptor of a file ends all locks that this process has on it.
 */
export async function lockPath(root: WorkspaceRoot, folder: OpenFolder, id: string): Promise<string> {
  const path = folder.at("lock")
  try {
    const { kind, links } = await root.fs.stat(path)
    // Two names for the moment in which somebody else is making it.
    if (kind !== "file" || links > 2)
      throw fileError("file-kind", `${ownName}/lock`, "expected an empty file, found something else.")
  } catch (error) {
    if (!isAbsent(error)) throw error
    await makeLockFile(root, folder, { path, id })
  }
  return path
}

/** Made under another name first, so that no descriptor of ours is open on a file that somebody may have locked. */
async function makeLockFile(root: WorkspaceRoot, folder: OpenFolder, { path, id }: { path: string; id: string }): Promise<void> {
  const fresh = folder.at(`lock-${id}`)
  await (await root.fs.open(fresh, openFlags.create, 0o600)).close()
  try {
    await root.fs.link(fresh, path)
  } catch (error) {
    const code = errnoOf(error) ?? ""
    if (withoutLinks.has(code)) await root.fs.rename(fresh, path)
    // Somebody else made the lock, and may have swept ours away as a leftover.
    else if (code !== "EEXIST" && code !== "ENOENT") throw error
  } finally {
    await removeIfThere(root, fresh)
  }
}

/** What file systems say that give no file a second name. */
const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Removes what a process left behind that ended while it made the lock file. */
export async function sweepLockFiles(root: WorkspaceRoot, folder: OpenFolder): Promise<void> {
  for (const name of await namesIn(root, folder)) if (name.startsWith("lock-")) await removeIfThere(root, folder.at(name))
}
