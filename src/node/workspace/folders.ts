import { join } from "node:path"
import { errnoOf, fileError, isAbsent } from "./file-errors.ts"
import { closeQuietly, type FileStats, type FileSystem, type OpenFile, openFlags, staysThere } from "./file-system.ts"
import { nameKey } from "./paths.ts"
import { relativeNames, type WorkspaceRoot } from "./workspace-root.ts"

/**
 * A folder inside the workspace that is held open: what is done through `at` is done in that very folder, whatever its name
 * leads to meanwhile. Where descriptors cannot be asked (macOS, Windows), `at` is a name, and `check` looks whether it still
 * leads to the same folder.
 */
export interface OpenFolder {
  /** As it is spelled on the disk. */
  readonly names: readonly string[]
  /** A path for one name in it; the folder itself without one. */
  at(name?: string): string
  check(): Promise<void>
  /** Opens a folder in it; a link is refused. */
  enter(name: string): Promise<OpenFolder>
  /** Makes the names in it last. */
  sync(): Promise<void>
  /** Never fails. */
  close(): Promise<void>
}

/** Opens the workspace's own folder. */
export async function openRootFolder(root: WorkspaceRoot): Promise<OpenFolder> {
  return root.descriptors ? openHeld(root, root.path, ".") : openNamed(root, root.path, ".")
}

/** Folders that can be asked where they are, after they were opened. */
async function openHeld(root: WorkspaceRoot, path: string, shown: string): Promise<OpenFolder> {
  const { fs } = root
  const handle = await openAsFolder(fs, path, shown)
  return closeOnError(handle, async () => {
    const place = `${root.descriptors?.folder}/${handle.descriptor}`
    const names = relativeNames(root, await fs.readLink(place), shown)
    const at = (name?: string) => (name === undefined ? place : `${place}/${name}`)
    return {
      names,
      at,
      check: async () => {},
      enter: (name) => openHeld(root, at(name), [...names, name].join("/")),
      sync: () => handle.sync(),
      close: () => closeQuietly(handle),
    }
  })
}

/** Folders by their names, looked at before and after. */
async function openNamed(root: WorkspaceRoot, path: string, shown: string): Promise<OpenFolder> {
  const { fs } = root
  const stats = await folderStats(fs, path, shown)
  const real = await fs.realPath(path)
  const names = relativeNames(root, real, shown)
  const handle = fs.syncsFolders ? await openAsFolder(fs, path, shown) : undefined
  const at = (name?: string) => (name === undefined ? real : join(real, name))
  const check = async () => {
    if (!(await staysThere(fs, real, stats))) throw moved(shown)
  }
  const folder: OpenFolder = {
    names,
    at,
    check,
    enter: (name) => openNamed(root, at(name), [...names, name].join("/")),
    sync: async () => handle?.sync(),
    close: () => closeQuietly(handle),
  }
  await closeOnError(handle, check)
  return folder
}

async function openAsFolder(fs: FileSystem, path: string, shown: string): Promise<OpenFile> {
  try {
    return await fs.open(path, openFlags.folder)
  } catch (error) {
    // A link is refused as if it were a file: say which it is.
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

function moved(path: string): Error {
  return fileError("file-outside", path, "expected the folder that was opened, found another in its place.")
}

async function closeOnError<T>(handle: OpenFile | undefined, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    await closeQuietly(handle)
    throw error
  }
}

/** Where a folder holds more names than this, other spellings of one are not looked for and nothing is listed. */
const maxNamesInFolder = 100_000

/**
 * Opens the folder that `names` lead to, one name after the other and through no link; another spelling finds the folder that
 * is there. `undefined` where it is missing, unless `create` makes it.
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
      const inner = await enter(root, outer, { name, create })
      if (!inner) return undefined
      folder = inner
    } finally {
      await outer.close()
    }
  }
  return folder
}

async function enter(
  root: WorkspaceRoot,
  folder: OpenFolder,
  { name, create }: { name: string; create: boolean },
): Promise<OpenFolder | undefined> {
  const spelled = await spellingOf(root, folder, name)
  if (spelled.found) return folder.enter(spelled.name)
  if (!create) return undefined
  await folder.check()
  await makeFolder(root, folder, spelled.name)
  return folder.enter(spelled.name)
}

/** Makes a folder that lasts; one that somebody else just made will do. */
export async function makeFolder(root: WorkspaceRoot, folder: OpenFolder, name: string, mode = 0o777): Promise<void> {
  try {
    await root.fs.makeFolder(folder.at(name), mode)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
  await folder.sync()
}

/**
 * How a name is spelled in a folder: as it is given, if that is there; as the one name there that only case, width, composition
 * or invisible characters set apart (D12); else as new files shall be. Several such names are `file-path`: none is guessed.
 */
export async function spellingOf(
  root: WorkspaceRoot,
  folder: OpenFolder,
  name: string,
): Promise<{ readonly name: string; readonly found: boolean }> {
  if (await isThere(root, folder.at(name))) return { name, found: true }
  const key = nameKey(name)
  const alike = (await namesIn(root, folder)).filter((other) => nameKey(other) === key)
  const path = [...folder.names, name].join("/")
  if (alike.length > 1) {
    throw fileError("file-path", path, `expected one file of that name, found ${alike.join(" and ")}.`, {
      evidence: { found: alike },
    })
  }
  const [found] = alike
  if (found !== undefined) return { name: found, found: true }
  const wanted = [...folder.names, name].map(nameKey).join("/")
  const known = root.names.find((one) => one.split("/").map(nameKey).join("/") === wanted)
  return { name: known?.split("/").at(-1) ?? name.normalize("NFC"), found: false }
}

/** Every name in a folder; throws `file-size` where there are too many. */
export async function namesIn(root: WorkspaceRoot, folder: OpenFolder): Promise<readonly string[]> {
  const names = await root.fs.readFolder(folder.at(), maxNamesInFolder + 1)
  if (names.length <= maxNamesInFolder) return names
  throw fileError(
    "file-size",
    folder.names.join("/") || ".",
    `expected at most ${maxNamesInFolder} names in a folder, found more.`,
  )
}

async function isThere(root: WorkspaceRoot, path: string): Promise<boolean> {
  try {
    await root.fs.stat(path)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}

/** What a new file is made of. `like` gives mode and owner where it takes another's place. */
interface NewFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number
  readonly like?: FileStats | undefined
  /** The folder it is made in, which must still be where it was before anything is written. */
  readonly folder: OpenFolder
}

/** Makes a file, which must not be there yet, and writes it through to the disk. On an error its beginning stays behind. */
export async function writeNewFile({ fs }: WorkspaceRoot, { path, bytes, mode, like, folder }: NewFile): Promise<void> {
  const handle = await fs.open(path, openFlags.create, mode)
  try {
    await folder.check()
    for (let written = 0; written < bytes.length; ) written += await handle.write(bytes, written)
    if (like) await makeAlike(handle, like)
    await handle.sync()
  } catch (error) {
    await handle.close().catch(() => {})
    throw error
  }
  await handle.close()
}

async function makeAlike(handle: OpenFile, { owner, mode }: FileStats): Promise<void> {
  const made = await handle.stat()
  if (made.owner.user !== owner.user || made.owner.group !== owner.group) {
    try {
      await handle.setOwner(owner)
    } catch (error) {
      // Only root may give files away; for others the file is theirs from now on.
      if (!["EPERM", "EINVAL", "ENOSYS"].includes(errnoOf(error) ?? "")) throw error
    }
  }
  if (made.mode !== mode) await handle.setMode(mode)
}
