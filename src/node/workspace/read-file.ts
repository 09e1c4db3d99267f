import { dirname, join } from "node:path"
import { fileError, ignoring, isAbsent, stopIfAborted, tooLarge } from "./file-errors.ts"
import {
  closeAfter,
  closeOnFailure,
  type FileStats,
  type OpenFile,
  openFlags,
  stillLeadsTo,
  waitForRemovals,
} from "./file-system.ts"
import { relativeNames, spellingOf, type WorkspaceRoot, walkFolders } from "./folders.ts"
import { isHidden, splitPath } from "./paths.ts"
import { contentHash, decodeText } from "./text-encoding.ts"
import type { WorkspaceBytes, WorkspaceFile } from "./workspace.ts"

/** Limits of one read. */
export type ReadLimits = { readonly maxBytes: number; readonly signal?: AbortSignal | undefined }

/** Reads a whole text file. */
export async function readWorkspaceFile(root: WorkspaceRoot, path: string, signal?: AbortSignal): Promise<WorkspaceFile> {
  const { bytes, ...rest } = await readWorkspaceBytes(root, path, { maxBytes: root.maxFileBytes, signal })
  return { ...rest, text: decodeText(bytes, rest.path) }
}

/** Reads a whole file as bytes. */
export async function readWorkspaceBytes(root: WorkspaceRoot, path: string, limits: ReadLimits): Promise<WorkspaceBytes> {
  const found = await openFile(root, splitPath(path, root.hidden))
  if (!found) throw fileError("file-missing", path, "expected a file, found none.")
  const real = found.names.join("/")
  const { bytes, stats } = await closeAfter(found.handle, () => readBytes(found.handle, real, limits))
  return { path: real, bytes, hash: contentHash(bytes), sizeBytes: bytes.length, mode: stats.mode }
}

/** A regular file inside the workspace, open for reading. */
export interface FoundFile {
  readonly handle: OpenFile
  /** Its real place, whatever path led to it. */
  readonly names: readonly string[]
  readonly stats: FileStats
}

/** A file may be replaced this often while it is being opened. */
const maxOpenTries = 200

/**
 * Opens the file that `names` lead to; `undefined` when there is none. Links inside the workspace are followed, and the file that
 * was opened is checked: it lies in the workspace, is not hidden, is a regular file, and has one name when hard links are refused.
 */
export async function openFile(root: WorkspaceRoot, names: readonly string[]): Promise<FoundFile | undefined> {
  const open = root.descriptors ? openByDescriptor : openByName
  const path = names.join("/") || "."
  let spelled = names
  for (let tries = 0; tries < maxOpenTries; tries++) {
    try {
      const found = await open(root, spelled, path)
      if (found) return found
    } catch (error) {
      if (!isAbsent(error)) throw error
      const other = await respell(root, names)
      if (!other) return undefined
      // The name exists but cannot be opened: it is a link to nothing. A file that was just created is found by the next try.
      if (tries > 2 && other.join("/") === spelled.join("/")) throw error
      spelled = other
    }
  }
  throw fileError("file-busy", path, `expected a file that stays in place, found it replaced ${maxOpenTries} times.`, {
    hint: "Try again.",
  })
}

/** Linux: locates the file without opening it, asks the descriptor where the file lies, then opens what the descriptor holds. */
async function openByDescriptor(root: WorkspaceRoot, names: readonly string[], path: string): Promise<FoundFile | undefined> {
  const { fs } = root
  const { folder = "", locateFlag = 0 } = root.descriptors ?? {}
  const located = await fs.open(join(root.path, ...names), locateFlag)
  return closeAfter(located, async () => {
    const place = `${folder}/${located.descriptor}`
    // In this order: a file that has one name, and after that still is where it was opened, had no other name outside. The other
    // way round, a second name in the workspace could be removed between the two. A removal under way has ended before the second.
    const stats = await located.stat()
    await waitForRemovals(fs, dirname(await fs.readLink(place)))
    const real = await fs.readLink(place)
    // Linux adds these words to the path of a file that was removed. A file may also have such a name.
    if (real.endsWith(" (deleted)") && !(await stillLeadsTo(fs, real, stats).catch(() => false))) return undefined
    const inside = insideNames(root, real, path)
    checkKind(root, stats, path)
    return { handle: await fs.open(place, openFlags.readDescriptor), names: inside, stats }
  })
}

/** Other systems: checks the name, opens it, and checks that the name still leads to what was opened. */
async function openByName(root: WorkspaceRoot, names: readonly string[], path: string): Promise<FoundFile | undefined> {
  const { fs } = root
  const real = await fs.realPath(join(root.path, ...names))
  const inside = insideNames(root, real, path)
  checkKind(root, await fs.stat(real), path)
  // The error ELOOP says that a link has taken the file's place.
  const handle = await fs.open(real, openFlags.read).catch(ignoring("ELOOP"))
  if (!handle) return undefined
  return closeOnFailure(handle, async () => {
    const stats = await handle.stat()
    if (!(await stillLeadsTo(fs, real, stats))) return undefined
    checkKind(root, stats, path)
    return { handle, names: inside, stats }
  })
}

function insideNames(root: WorkspaceRoot, real: string, path: string): readonly string[] {
  const names = relativeNames(root, real, path)
  if (!isHidden(names, root.hidden)) return names
  throw fileError("file-path", path, "expected a file of the workspace, found a link to a hidden one.")
}

async function respell(root: WorkspaceRoot, names: readonly string[]): Promise<readonly string[] | undefined> {
  const folder = await walkFolders(root, names.slice(0, -1))
  if (!folder) return undefined
  return closeAfter(folder, async () => {
    const { name, found } = await spellingOf(root, folder, names.at(-1) ?? "")
    return found ? [...folder.names, name] : undefined
  })
}

/** Throws `file-kind` for anything but a regular file, and for a file with more names than are allowed. */
export function checkKind(root: WorkspaceRoot, { kind, links }: FileStats, path: string): void {
  if (kind !== "file") {
    const found = { folder: "a folder", link: "a link", special: "a pipe, a socket or a device" }[kind]
    throw fileError("file-kind", path, `expected a file, found ${found}.`, { evidence: { kind } })
  }
  if (links > 1 && root.hardLinks === "refuse")
    throw fileError("file-kind", path, `expected a file with one name, found one with ${links} (hard links).`, {
      hint: "Copy it, so that it has one name, or open the workspace with hard links allowed.",
      evidence: { kind: "hard-link", links },
    })
}

/** A file that grows or changes is read again this often. */
const maxReadTries = 5

/**
 * Reads a whole open file, with its stats of the same moment. Throws `file-size` before reading more than `maxBytes`. A file that
 * changes while it is read is read again; when it keeps changing, the error is `file-busy`.
 */
export async function readBytes(
  handle: OpenFile,
  path: string,
  { maxBytes, signal }: ReadLimits,
): Promise<{ readonly bytes: Uint8Array; readonly stats: FileStats }> {
  for (let tries = 0; tries < maxReadTries; tries++) {
    stopIfAborted(signal)
    const before = await handle.stat()
    if (before.sizeBytes > maxBytes) throw tooLarge(path, before.sizeBytes, maxBytes)
    const bytes = await readUpTo(handle, before.sizeBytes)
    const after = await handle.stat()
    const isUnchanged = after.sizeBytes === before.sizeBytes && after.modifiedNs === before.modifiedNs
    if (isUnchanged && bytes.length === before.sizeBytes) return { bytes, stats: before }
  }
  throw fileError(
    "file-busy",
    path,
    `expected a file that stays the same while it is read, found it changed in each of ${maxReadTries} reads.`,
    { hint: "Read it again when no program writes to it." },
  )
}

/** Reads one byte more than expected, if there is one, so that growth is seen. */
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
