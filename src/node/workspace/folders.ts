import { dirname, join, resolve, sep } from "node:path"
import { errnoOf, fileError, ignoring, withFileErrors } from "./file-errors.ts"
import {
  closeAfter,
  closeOnFailure,
  closeQuietly,
  type FileStats,
  type FileSystem,
  type OpenFile,
  openFlags,
  statIfThere,
  stillLeadsTo,
} from "./file-system.ts"
import { nameKey, pathKey } from "./paths.ts"
import type { FileWorkspaceOptions } from "./workspace.ts"

/** The folder of a workspace, and the rules for files in it. */
export interface WorkspaceRoot
  extends Required<Pick<FileWorkspaceOptions, "fs" | "hidden" | "hardLinks" | "maxFileBytes" | "names">> {
  /** Present when the system can say which file a descriptor has open. */
  readonly descriptors: FileSystem["descriptors"]
  /** The real path, without links. */
  readonly path: string
}

/** Finds a folder's real path, and whether descriptors can be asked there. Throws errors whose code begins with `file`. */
export function findRoot(folder: string, fs: FileSystem): Promise<Pick<WorkspaceRoot, "fs" | "path" | "descriptors">> {
  return withFileErrors("open", folder, async () => {
    const path = await fs.realPath(resolve(folder))
    if ((await fs.stat(path)).kind !== "folder")
      throw fileError("file-kind", folder, "expected a folder for the workspace, found a file.")
    if (dirname(path) === path)
      throw fileError("file-outside", folder, "expected a folder for the workspace, found the whole disk.")
    return { fs, path, descriptors: (await showsDescriptors(fs, path)) ? fs.descriptors : undefined }
  })
}

async function showsDescriptors(fs: FileSystem, path: string): Promise<boolean> {
  if (!fs.descriptors) return false
  const handle = await fs.open(path, openFlags.folder)
  const shown = await fs.readLink(`${fs.descriptors.folder}/${handle.descriptor}`).catch(() => undefined)
  await closeQuietly(handle)
  return shown === path
}

/** The names that lead from the root to a real path. Throws `file-outside` about `shown` when it lies elsewhere. */
export function relativeNames(root: Pick<WorkspaceRoot, "path">, path: string, shown: string): readonly string[] {
  if (path === root.path) return []
  if (!path.startsWith(root.path + sep))
    throw fileError("file-outside", shown, "expected a file inside the workspace, found a way out of it.")
  return path.slice(root.path.length + 1).split(sep)
}

/**
 * A folder of the workspace that is held open. A path made by `at` leads into this very folder, whatever its name leads to in the
 * meantime. On systems that cannot ask descriptors (macOS, Windows), `at` gives an ordinary path, and `check` tests that it still
 * leads to the same folder.
 */
export interface OpenFolder {
  /** As they are spelled on the disk. */
  readonly names: readonly string[]
  /** The path of a name in the folder; without a name, of the folder itself. */
  at(name?: string): string
  check(): Promise<void>
  /** Opens a folder in it. Refuses a link. */
  enter(name: string): Promise<OpenFolder>
  /** Makes changes to the names in it durable. */
  sync(): Promise<void>
  /** Never fails. */
  close(): Promise<void>
}

/** Opens the workspace's own folder. */
export async function openRootFolder(root: WorkspaceRoot): Promise<OpenFolder> {
  return root.descriptors ? openByDescriptor(root, root.path, ".") : openByName(root, root.path, ".")
}

/** Opens a folder and then asks its descriptor where it lies. */
async function openByDescriptor(root: WorkspaceRoot, path: string, shown: string): Promise<OpenFolder> {
  const { fs } = root
  const handle = await openAsFolder(fs, path, shown)
  return closeOnFailure(handle, async () => {
    const place = `${root.descriptors?.folder}/${handle.descriptor}`
    const names = relativeNames(root, await fs.readLink(place), shown)
    const at = (name?: string) => (name === undefined ? place : `${place}/${name}`)
    return {
      names,
      at,
      check: async () => {},
      enter: (name) => openByDescriptor(root, at(name), [...names, name].join("/")),
      sync: () => handle.sync(),
      close: () => closeQuietly(handle),
    }
  })
}

/** Opens a folder by its name, and checks the name before and after. */
async function openByName(root: WorkspaceRoot, path: string, shown: string): Promise<OpenFolder> {
  const { fs } = root
  const stats = await folderStats(fs, path, shown)
  const real = await fs.realPath(path)
  const names = relativeNames(root, real, shown)
  const handle = fs.syncsFolders ? await openAsFolder(fs, path, shown) : undefined
  const at = (name?: string) => (name === undefined ? real : join(real, name))
  const check = async () => {
    if (await stillLeadsTo(fs, real, stats)) return
    throw fileError("file-outside", shown, "expected the folder that was opened, found another in its place.")
  }
  return closeOnFailure(handle, async () => {
    await check()
    return {
      names,
      at,
      check,
      enter: (name) => openByName(root, at(name), [...names, name].join("/")),
      sync: async () => handle?.sync(),
      close: () => closeQuietly(handle),
    }
  })
}

async function openAsFolder(fs: FileSystem, path: string, shown: string): Promise<OpenFile> {
  try {
    return await fs.open(path, openFlags.folder)
  } catch (error) {
    // The system reports a link as if it were a file. The stats tell them apart.
    if (errnoOf(error) === "ENOTDIR" || errnoOf(error) === "ELOOP") await folderStats(fs, path, shown)
    throw error
  }
}

async function folderStats(fs: FileSystem, path: string, shown: string): Promise<FileStats> {
  const stats = await fs.stat(path)
  if (stats.kind === "folder") return stats
  const hint = "Write to the folder it leads to, by its own path."
  if (stats.kind === "link") throw fileError("file-kind", shown, "expected a folder, found a link.", { hint })
  throw fileError("file-kind", shown, "expected a folder, found a file.")
}

/**
 * Opens the folder that `names` lead to, one name after the other and through no link. Another spelling finds the folder that
 * exists. A missing folder is created with `create`; without it the result is `undefined`.
 */
export async function walkFolders(
  root: WorkspaceRoot,
  names: readonly string[],
  { create = false }: { readonly create?: boolean } = {},
): Promise<OpenFolder | undefined> {
  let folder = await openRootFolder(root)
  for (const name of names) {
    const outer = folder
    try {
      const spelled = await spellingOf(root, outer, name)
      if (!spelled.found && !create) return undefined
      folder = await (spelled.found ? outer.enter(spelled.name) : makeFolder(root, outer, spelled.name))
    } finally {
      await outer.close()
    }
  }
  return folder
}

/** Creates a folder durably and opens it. It is no error when another process just created it. */
export async function makeFolder(root: WorkspaceRoot, folder: OpenFolder, name: string, mode = 0o777): Promise<OpenFolder> {
  await folder.check()
  await root.fs.makeFolder(folder.at(name), mode).catch(ignoring("EEXIST"))
  await folder.sync()
  return folder.enter(name)
}

/**
 * Creates a folder and its missing parents durably: a file that is written there is not lost with its folder. Throws the system's
 * errors. Node's own `recursive` syncs nothing.
 */
export async function makeFolders(fs: FileSystem, folder: string): Promise<void> {
  const missing: string[] = []
  for (let path = resolve(folder); !(await statIfThere(fs, path)); path = dirname(path)) missing.push(path)
  for (const path of missing.reverse()) {
    await fs.makeFolder(path, 0o777).catch(ignoring("EEXIST"))
    if (!fs.syncsFolders) continue
    const parent = await fs.open(await fs.realPath(dirname(path)), openFlags.folder)
    await closeAfter(parent, () => parent.sync())
  }
}

/**
 * Finds how a name is spelled in a folder: exactly as given, or as the one name there with the same {@link nameKey} (D12). When
 * nothing is found, `name` is the spelling for a new file. Throws `file-path` when several names fit, as none is guessed.
 */
export async function spellingOf(
  root: WorkspaceRoot,
  folder: OpenFolder,
  name: string,
): Promise<{ readonly name: string; readonly found: boolean }> {
  if (await statIfThere(root.fs, folder.at(name))) return { name, found: true }
  const key = nameKey(name)
  const names = [...folder.names, name]
  const alike = (await namesIn(root, folder)).filter((other) => nameKey(other) === key).sort()
  if (alike.length > 1)
    throw fileError("file-path", names.join("/"), `expected one file of that name, found ${alike.join(" and ")}.`, {
      evidence: { alike },
    })
  const [found] = alike
  if (found !== undefined) return { name: found, found: true }
  const wanted = pathKey(names)
  const known = root.names.find((one) => pathKey(one.split("/")) === wanted)
  return { name: known?.split("/").at(-1) ?? name.normalize("NFC"), found: false }
}

/** A folder with more names is not searched for other spellings and not listed. */
const maxNamesInFolder = 100_000

/** All names in a folder. Throws `file-size` when there are too many. */
export async function namesIn(root: WorkspaceRoot, folder: OpenFolder): Promise<readonly string[]> {
  const names = await root.fs.readFolder(folder.at(), maxNamesInFolder + 1)
  if (names.length <= maxNamesInFolder) return names
  const path = folder.names.join("/") || "."
  throw fileError("file-size", path, `expected at most ${maxNamesInFolder} names in a folder, found more.`)
}

/** A file to create. When it replaces another, `like` gives the mode and the owner of that one. */
interface NewFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly mode: number
  readonly like?: FileStats | undefined
}

/** Creates a file, which must not exist yet, and syncs it to the disk. After an error a part of it may remain. */
export async function writeNewFile(fs: FileSystem, folder: OpenFolder, { name, bytes, mode, like }: NewFile): Promise<void> {
  const handle = await fs.open(folder.at(name), openFlags.create, mode)
  try {
    // Before anything is written: the file must have been created in this very folder.
    await folder.check()
    for (let written = 0; written < bytes.length; ) written += await handle.write(bytes, written)
    if (like) await copyModeAndOwner(handle, like)
    await handle.sync()
  } catch (error) {
    await closeQuietly(handle)
    throw error
  }
  await handle.close()
}

async function copyModeAndOwner(handle: OpenFile, { owner, mode }: FileStats): Promise<void> {
  const made = await handle.stat()
  if (made.owner.user !== owner.user || made.owner.group !== owner.group) {
    // Only root may change an owner. For other users the file becomes their own.
    await handle.setOwner(owner).catch(ignoring("EPERM", "EINVAL", "ENOSYS"))
  }
  if (made.mode !== mode) await handle.setMode(mode)
}
