import { constants } from "node:fs"
import { isAbsent } from "./file-errors.ts"

/** What a path names, without following a link at its end. */
export type FileKind = "file" | "folder" | "link" | "special"

/** What is known of a file without reading it. `device` and `inode` name it whatever its path. */
export interface FileStats {
  readonly kind: FileKind
  readonly sizeBytes: number
  /** Permission bits, such as 0o644. */
  readonly mode: number
  /** How many names lead to it. */
  readonly links: number
  readonly device: bigint
  readonly inode: bigint
  readonly modifiedNs: bigint
  readonly owner: { readonly user: number; readonly group: number }
}

/** A file that is open. Offsets are bytes, in the buffer and in the file alike. */
export interface OpenFile {
  readonly descriptor: number
  stat(): Promise<FileStats>
  /** Reads into `target` from `offset` on; gives how many bytes, 0 at the end. */
  read(target: Uint8Array, offset: number): Promise<number>
  /** Writes what `source` holds from `offset` on; gives how many bytes were taken. */
  write(source: Uint8Array, offset: number): Promise<number>
  setOwner(owner: FileStats["owner"]): Promise<void>
  setMode(mode: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** The file system calls a workspace makes, and no others. Each fails as Node's do: an error with `code` and `syscall`. */
export interface FileSystem {
  /** Linux: the folder that shows what each descriptor has open, and the flag that finds a file without opening it. */
  readonly descriptors?: { readonly folder: string; readonly locateFlag: number } | undefined
  /** False where folders cannot be synced. */
  readonly syncsFolders: boolean
  open(path: string, flags: number, mode?: number): Promise<OpenFile>
  stat(path: string): Promise<FileStats>
  realPath(path: string): Promise<string>
  readLink(path: string): Promise<string>
  /** Up to `limit` names, in no order. */
  readFolder(path: string, limit: number): Promise<readonly string[]>
  makeFolder(path: string, mode: number): Promise<void>
  /** Gives a file a second name; fails where that name is taken. */
  link(path: string, name: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
}

// Windows has no links to follow by accident, no pipes in folders and no terminals to be caught by: it knows none of these flags.
const noFollow = constants.O_NOFOLLOW ?? 0
const noBlock = constants.O_NONBLOCK ?? 0
const noTerminal = constants.O_NOCTTY ?? 0
const folderOnly = constants.O_DIRECTORY ?? 0

/** Flags for {@link FileSystem.open}. A pipe, a device or a link at the path's end neither hangs nor is followed. */
export const openFlags = {
  read: constants.O_RDONLY | noFollow | noBlock | noTerminal,
  /** What `/proc/self/fd` leads to is the open file itself, so that one link is followed. */
  readDescriptor: constants.O_RDONLY | noBlock | noTerminal,
  /** Fails where the file is read-only, before anything is done to it. */
  writeDescriptor: constants.O_RDWR | noBlock | noTerminal,
  readWrite: constants.O_RDWR | noFollow | noBlock | noTerminal,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
  folder: constants.O_RDONLY | folderOnly | noFollow | noBlock,
  noFollow,
} as const

/** How often a name is looked at: who swaps it for a link and back must be lucky each time. */
const looks = 3

/** True when both are one file, whatever its names. */
export function isSame(one: FileStats, other: FileStats): boolean {
  return one.inode === other.inode && one.device === other.device
}

/** True while a real path still leads to a file, and through no link. For platforms that cannot ask what a descriptor has open. */
export async function staysThere(fs: FileSystem, real: string, stats: FileStats): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if (!isSame(await fs.stat(real), stats) || (await fs.realPath(real)) !== real) return false
  }
  return true
}

/** Closes what was only read. That it fails says nothing about what was read, and must not keep others from being closed. */
export async function closeQuietly(handle: OpenFile | undefined): Promise<void> {
  try {
    await handle?.close()
  } catch {
    // Closed all the same.
  }
}

/** Removes a file; true when there was one. */
export async function removeIfThere({ fs }: { readonly fs: FileSystem }, path: string): Promise<boolean> {
  try {
    await fs.remove(path)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}
