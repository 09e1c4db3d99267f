import { constants } from "node:fs"
import { isAbsent } from "./file-errors.ts"

/** What a path names. A link at its end is not followed. */
export type FileKind = "file" | "folder" | "link" | "special"

/** What is known of a file without reading it. `device` and `inode` together identify it, whatever its path. */
export interface FileStats {
  readonly kind: FileKind
  readonly sizeBytes: number
  /** Permission bits, such as 0o644. */
  readonly mode: number
  /** The number of names (hard links) that lead to it. */
  readonly links: number
  readonly device: bigint
  readonly inode: bigint
  readonly modifiedNs: bigint
  readonly owner: { readonly user: number; readonly group: number }
}

/** An open file. An offset counts bytes and holds for the buffer and the file alike. */
export interface OpenFile {
  readonly descriptor: number
  stat(): Promise<FileStats>
  /** Reads into `target` from `offset` on. Returns the number of bytes read, 0 at the end of the file. */
  read(target: Uint8Array, offset: number): Promise<number>
  /** Writes `source` from `offset` on. Returns the number of bytes written. */
  write(source: Uint8Array, offset: number): Promise<number>
  setOwner(owner: FileStats["owner"]): Promise<void>
  setMode(mode: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** All file system calls that a workspace makes. Each fails as Node's do, with an error that has `code` and `syscall`. */
export interface FileSystem {
  /** Linux only: the folder with a link for each open descriptor, and the flag that locates a file without opening it. */
  readonly descriptors?: { readonly folder: string; readonly locateFlag: number } | undefined
  /** False on systems that cannot sync folders. */
  readonly syncsFolders: boolean
  open(path: string, flags: number, mode?: number): Promise<OpenFile>
  stat(path: string): Promise<FileStats>
  realPath(path: string): Promise<string>
  readLink(path: string): Promise<string>
  /** Up to `limit` names, in no order. */
  readFolder(path: string, limit: number): Promise<readonly string[]>
  makeFolder(path: string, mode: number): Promise<void>
  /** Gives a file a second name. Fails when the name is taken. */
  link(path: string, name: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
}

// Windows has none of these flags. It needs none of them.
const noFollow = constants.O_NOFOLLOW ?? 0
const noBlock = constants.O_NONBLOCK ?? 0
const noTerminal = constants.O_NOCTTY ?? 0
const folderOnly = constants.O_DIRECTORY ?? 0

/** Flags for {@link FileSystem.open}. With them a pipe or a device does not block, and a link at the end of a path is refused. */
export const openFlags = {
  read: constants.O_RDONLY | noFollow | noBlock | noTerminal,
  /** For a path in `/proc/self/fd`. It is a link to the open file itself, so this flag follows links. */
  readDescriptor: constants.O_RDONLY | noBlock | noTerminal,
  readWrite: constants.O_RDWR | noFollow | noBlock | noTerminal,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
  folder: constants.O_RDONLY | folderOnly | noFollow | noBlock,
} as const

/** True when both are the same file, whatever its names. */
export function isSameFile(one: FileStats, other: FileStats): boolean {
  return one.inode === other.inode && one.device === other.device
}

/** A name is checked several times. An attacker who swaps it for a link and back must hit the right moment each time. */
const checks = 3

/**
 * True while a real path still leads to the same file, and through no link. Needed on platforms that cannot ask what a
 * descriptor has open.
 */
export async function stillLeadsTo(fs: FileSystem, realPath: string, stats: FileStats): Promise<boolean> {
  for (let check = 0; check < checks; check++) {
    if (!isSameFile(await fs.stat(realPath), stats) || (await fs.realPath(realPath)) !== realPath) return false
  }
  return true
}

/** Stats of a path; `undefined` when nothing is there. */
export async function statIfThere(fs: FileSystem, path: string): Promise<FileStats | undefined> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Removes a file. Returns false when there was none. */
export async function removeIfThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.remove(path)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}

/** Closes a file that was only read. An error of closing is ignored: what was read stays valid. */
export async function closeQuietly(handle: OpenFile | undefined): Promise<void> {
  await handle?.close().catch(() => {})
}
