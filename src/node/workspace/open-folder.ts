import { join } from "node:path"
import { closeQuietly } from "./close-quietly.ts"
import { errnoOf, fileError } from "./file-errors.ts"
import type { FileStats, FileSystem, OpenFile } from "./file-system.ts"
import { openFlags } from "./open-flags.ts"
import { staysThere } from "./same-file.ts"
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
