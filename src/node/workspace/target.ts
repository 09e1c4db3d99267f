import { fileError, isAbsent } from "./file-errors.ts"
import { closeQuietly, type FileStats, isSame, openFlags } from "./file-system.ts"
import { type OpenFolder, spellingOf, walkFolders } from "./folders.ts"
import { checkKind, readBytes } from "./read-file.ts"
import { hashOf } from "./text-encoding.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** A name in a folder that is held open: what a change is about. */
export interface Target {
  readonly folder: OpenFolder
  readonly name: string
  readonly path: string
}

/** What a file holds before a change. */
export interface Current {
  readonly bytes: Uint8Array
  readonly hash: string
  readonly stats: FileStats
}

/** Finds what a change to `names` is about. No link is followed, so a name can stand for no other. `undefined`: its folder is missing. */
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

/** Reads what the target holds, opened for writing too, so that a read-only file is refused. `undefined` where it is missing. */
export async function readTarget(
  root: WorkspaceRoot,
  { folder, name, path }: Target,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<Current | undefined> {
  const found = await statTarget(root, folder.at(name))
  if (!found) return undefined
  checkKind(root, found, path)
  const handle = await root.fs.open(folder.at(name), openFlags.readWrite)
  try {
    const opened = await handle.stat()
    checkKind(root, opened, path)
    if (!isSame(opened, found)) throw changed(path)
    await folder.check()
    const { bytes, stats } = await readBytes(handle, { path, ...options })
    return { bytes, hash: hashOf(bytes), stats }
  } finally {
    await closeQuietly(handle)
  }
}

/** Throws `file-conflict` when the target is no longer what was read. */
export async function checkUnchanged(
  root: WorkspaceRoot,
  { folder, name, path }: Target,
  current: Current | undefined,
): Promise<void> {
  await folder.check()
  const found = await statTarget(root, folder.at(name))
  const same =
    current && found ? isSame(found, current.stats) && found.modifiedNs === current.stats.modifiedNs : current === found
  if (!same) throw changed(path)
}

/** The error of a file that somebody changed without the lock, such as an editor. */
export function changed(path: string): Error {
  return fileError("file-conflict", path, "expected the file that was just read, found it changed by somebody else.", {
    hint: "Nothing was written. Read it again.",
  })
}

async function statTarget(root: WorkspaceRoot, path: string): Promise<FileStats | undefined> {
  try {
    return await root.fs.stat(path)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
