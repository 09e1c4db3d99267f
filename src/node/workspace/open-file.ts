import { join } from "node:path"
import { closeQuietly } from "./close-quietly.ts"
import { errnoOf, fileError, isAbsent } from "./file-errors.ts"
import type { FileStats, OpenFile } from "./file-system.ts"
import { openFlags } from "./open-flags.ts"
import { isHidden } from "./path-rules.ts"
import { isSame, staysThere } from "./same-file.ts"
import { spellingOf, walkFolders } from "./walk-folders.ts"
import { relativeNames, type WorkspaceRoot } from "./workspace-root.ts"

/** A regular file inside the workspace, open for reading. */
export interface FoundFile {
  readonly handle: OpenFile
  /** Where it really lies, whatever the path that led to it. */
  readonly names: readonly string[]
  readonly stats: FileStats
}

/** How often a file may be replaced while it is being opened. */
const maxTries = 200

/**
 * Opens the file that `names` lead to, links inside the workspace followed, and decides by what was opened: it lies in the
 * workspace, is not hidden, is a regular file, and has one name where hard links are refused. `undefined` where there is none.
 */
export async function openFile(root: WorkspaceRoot, names: readonly string[]): Promise<FoundFile | undefined> {
  const open = root.descriptors ? openLocated : openNamed
  const path = names.join("/")
  let spelled = names
  for (let tries = 0; tries < maxTries; tries++) {
    try {
      const found = await open(root, spelled, path)
      if (found) return found
    } catch (error) {
      if (!isAbsent(error)) throw error
      const other = await respell(root, names)
      if (!other) return undefined
      // What is there and cannot be found is a link to nothing; a file that was just made is found the next time.
      if (tries > 2 && other.join("/") === spelled.join("/")) throw error
      spelled = other
    }
  }
  throw fileError("file-busy", path, `expected a file that stays, found it replaced ${maxTries} times.`, { hint: "Try again." })
}

/** Linux: finds the file without opening it, asks the descriptor where it lies, then opens what the descriptor holds. */
async function openLocated(root: WorkspaceRoot, names: readonly string[], path: string): Promise<FoundFile | undefined> {
  const { fs } = root
  const { folder = "", locateFlag = 0 } = root.descriptors ?? {}
  const located = await fs.open(join(root.path, ...names), locateFlag)
  try {
    const place = `${folder}/${located.descriptor}`
    const [lies, stats] = [await fs.readLink(place), await located.stat()]
    if (lies.endsWith(" (deleted)") && !(await liesThere(root, lies, stats))) return undefined
    const real = insideNames(root, lies, path)
    checkKind(root, stats, path)
    return { handle: await fs.open(place, openFlags.readDescriptor), names: real, stats }
  } finally {
    await closeQuietly(located)
  }
}

/** Elsewhere: looks at the name, opens it, and looks whether the name still leads to what was opened. */
async function openNamed(root: WorkspaceRoot, names: readonly string[], path: string): Promise<FoundFile | undefined> {
  const { fs } = root
  const real = await fs.realPath(join(root.path, ...names))
  const inside = insideNames(root, real, path)
  checkKind(root, await fs.stat(real), path)
  const handle = await openUnfollowed(root, real)
  if (!handle) return undefined
  try {
    const stats = await handle.stat()
    if (await staysThere(fs, real, stats)) {
      checkKind(root, stats, path)
      return { handle, names: inside, stats }
    }
  } catch (error) {
    await closeQuietly(handle)
    throw error
  }
  await closeQuietly(handle)
  return undefined
}

/** `undefined` where a link came into its place meanwhile. */
async function openUnfollowed(root: WorkspaceRoot, real: string): Promise<OpenFile | undefined> {
  try {
    return await root.fs.open(real, openFlags.read)
  } catch (error) {
    if (errnoOf(error) === "ELOOP") return undefined
    throw error
  }
}

function insideNames(root: WorkspaceRoot, real: string, path: string): readonly string[] {
  const names = relativeNames(root, real, path)
  if (!isHidden(names, root.hidden)) return names
  throw fileError("file-path", path, "expected a file of the workspace, found a link to a hidden one.")
}

/** Throws `file-kind` for what is not a regular file, or has more names than are allowed. */
export function checkKind(root: WorkspaceRoot, stats: FileStats, path: string): void {
  if (stats.kind !== "file") {
    const found = { folder: "a folder", link: "a link", special: "a pipe, a socket or a device", file: "" }[stats.kind]
    throw fileError("file-kind", path, `expected a file, found ${found}.`, { evidence: { kind: stats.kind } })
  }
  if (stats.links > 1 && root.hardLinks === "refuse") {
    throw fileError("file-kind", path, `expected a file of one name, found one of ${stats.links} (hard links).`, {
      hint: "Copy it, so that it has one name, or open the workspace with hard links allowed.",
      evidence: { kind: "hard-link", links: stats.links },
    })
  }
}

async function liesThere(root: WorkspaceRoot, path: string, stats: FileStats): Promise<boolean> {
  try {
    return isSame(await root.fs.stat(path), stats)
  } catch {
    return false
  }
}

async function respell(root: WorkspaceRoot, names: readonly string[]): Promise<readonly string[] | undefined> {
  const folder = await walkFolders(root, names.slice(0, -1))
  if (!folder) return undefined
  try {
    const { name, found } = await spellingOf(root, folder, names.at(-1) ?? "")
    return found ? [...folder.names, name] : undefined
  } finally {
    await folder.close()
  }
}
