import { join } from "node:path"
import { errnoOf, fileError, isAbsent, stopIfAborted } from "./file-errors.ts"
import { closeQuietly, type FileStats, isSame, type OpenFile, openFlags, staysThere } from "./file-system.ts"
import { spellingOf, walkFolders } from "./folders.ts"
import { isHidden, splitPath } from "./paths.ts"
import { decodeText, hashOf } from "./text-encoding.ts"
import type { WorkspaceBytes, WorkspaceFile } from "./workspace.ts"
import { relativeNames, type WorkspaceRoot } from "./workspace-root.ts"

/** Reads a file whole, as bytes. */
export async function readWorkspaceBytes(
  root: WorkspaceRoot,
  path: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<WorkspaceBytes> {
  const found = await openFile(root, splitPath(path, root.hidden))
  if (!found) throw fileError("file-missing", path, "expected a file, found none.")
  const real = found.names.join("/")
  try {
    const { bytes, stats } = await readBytes(found.handle, { path: real, ...options })
    return { path: real, bytes, hash: hashOf(bytes), sizeBytes: bytes.length, mode: stats.mode }
  } finally {
    await closeQuietly(found.handle)
  }
}

/** Reads a text file whole. */
export async function readWorkspaceFile(
  root: WorkspaceRoot,
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<WorkspaceFile> {
  const { bytes, ...rest } = await readWorkspaceBytes(root, path, { maxBytes: root.maxFileBytes, signal })
  return { ...rest, text: decodeText(bytes, rest.path) }
}

/** A regular file inside the workspace, open for reading. */
interface FoundFile {
  readonly handle: OpenFile
  /** Where it really lies, whatever the path that led to it. */
  readonly names: readonly string[]
  readonly stats: FileStats
}

/** How often a file may be replaced while it is being opened. */
const maxOpenTries = 200

/**
 * Opens the file that `names` lead to, links inside the workspace followed, and decides by what was opened: it lies in the
 * workspace, is not hidden, is a regular file, and has one name where hard links are refused. `undefined` where there is none.
 */
export async function openFile(root: WorkspaceRoot, names: readonly string[]): Promise<FoundFile | undefined> {
  const open = root.descriptors ? openLocated : openNamed
  const path = names.join("/")
  let spelled = names
  for (let tries = 0; tries < maxOpenTries; tries++) {
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
  throw fileError("file-busy", path, `expected a file that stays, found it replaced ${maxOpenTries} times.`, {
    hint: "Try again.",
  })
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

/** How often a file that grows or changes is read again before it is given up. */
const maxReadTries = 5

/** A file's bytes as they were at one moment, and what was known of it then. */
interface ReadBytes {
  readonly bytes: Uint8Array
  readonly stats: FileStats
}

/**
 * Reads an open file whole. Over `maxBytes` it throws `file-size` before reading; a file that changes while it is read is read
 * again, and `file-busy` when it does not come to rest.
 */
export async function readBytes(
  handle: OpenFile,
  { path, maxBytes, signal }: { readonly path: string; readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<ReadBytes> {
  for (let tries = 0; tries < maxReadTries; tries++) {
    stopIfAborted(signal)
    const before = await handle.stat()
    if (before.sizeBytes > maxBytes) throw tooLarge(path, before.sizeBytes, maxBytes)
    const bytes = await readUpTo(handle, before.sizeBytes)
    const after = await handle.stat()
    const rests = after.sizeBytes === before.sizeBytes && after.modifiedNs === before.modifiedNs
    if (rests && bytes.length === before.sizeBytes) return { bytes, stats: before }
  }
  throw fileError("file-busy", path, `expected a file at rest, found it changing while it was read ${maxReadTries} times.`, {
    hint: "Read it again when nothing writes to it.",
  })
}

/** Up to one byte more than expected, so that growth shows. */
async function readUpTo(handle: OpenFile, sizeBytes: number): Promise<Uint8Array> {
  const target = new Uint8Array(sizeBytes + 1)
  let filled = 0
  while (filled < target.length) {
    const count = await handle.read(target, filled)
    if (count === 0) break
    filled += count
  }
  return target.subarray(0, filled)
}

/** The error of a file over the limit. */
export function tooLarge(path: string, sizeBytes: number, maxBytes: number): Error {
  const [found, limit] = [sizeBytes.toLocaleString("en"), maxBytes.toLocaleString("en")]
  return fileError("file-size", path, `expected at most ${limit} bytes, found ${found}.`, { evidence: { sizeBytes, maxBytes } })
}
