import { fileError } from "./file-errors.ts"
import { closeQuietly, type FileStats, isSameFile, openFlags, statIfThere } from "./file-system.ts"
import { type OpenFolder, spellingOf, walkFolders } from "./folders.ts"
import { checkKind, readBytes } from "./read-file.ts"
import { hashOf } from "./text-encoding.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** The file that a change is about: a name in a folder that is held open. There need not be such a file yet. */
export interface Target {
  readonly folder: OpenFolder
  readonly name: string
  readonly path: string
}

/** The content of a file before a change. */
export interface Current {
  readonly bytes: Uint8Array
  readonly hash: string
  readonly stats: FileStats
}

/**
 * Finds the file that a change to `names` is about. No link is followed, so that a name cannot stand for another file.
 * `undefined` when its folder is missing.
 */
export async function findTarget(
  root: WorkspaceRoot,
  names: readonly string[],
  options: { readonly create?: boolean } = {},
): Promise<Target | undefined> {
  const last = names.at(-1)
  if (last === undefined) throw fileError("file-kind", ".", "expected a file, found the workspace itself.")
  const folder = await walkFolders(root, names.slice(0, -1), options)
  if (!folder) return undefined
  try {
    const { name } = await spellingOf(root, folder, last)
    return { folder, name, path: [...folder.names, name].join("/") }
  } catch (error) {
    await folder.close()
    throw error
  }
}

/** Reads the target. It is opened for writing too, so that a read-only file is refused. `undefined` when there is no file. */
export async function readTarget(
  root: WorkspaceRoot,
  { folder, name, path }: Target,
  signal: AbortSignal | undefined,
): Promise<Current | undefined> {
  const found = await statIfThere(root.fs, folder.at(name))
  if (!found) return undefined
  checkKind(root, found, path)
  const handle = await root.fs.open(folder.at(name), openFlags.readWrite)
  try {
    const opened = await handle.stat()
    checkKind(root, opened, path)
    if (!isSameFile(opened, found)) throw changedError(path)
    await folder.check()
    const { bytes, stats } = await readBytes(handle, path, { maxBytes: root.maxFileBytes, signal })
    return { bytes, hash: hashOf(bytes), stats }
  } finally {
    await closeQuietly(handle)
  }
}

/** Throws `file-conflict` when the target is no longer the file that was read. */
export async function checkUnchanged(
  root: WorkspaceRoot,
  { folder, name, path }: Target,
  current: Current | undefined,
): Promise<void> {
  await folder.check()
  const found = await statIfThere(root.fs, folder.at(name))
  const same =
    current && found ? isSameFile(found, current.stats) && found.modifiedNs === current.stats.modifiedNs : current === found
  if (!same) throw changedError(path)
}

/** The error about a file that was changed without the lock, for example by an editor. */
export function changedError(path: string): Error {
  return fileError("file-conflict", path, "expected the file that was just read, found it changed by another program.", {
    hint: "Nothing was written. Read it again.",
  })
}
