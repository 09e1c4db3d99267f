import { type BigIntStats, constants } from "node:fs"
import { link, lstat, mkdir, open, opendir, readlink, realpath, rename, unlink } from "node:fs/promises"
import { ignoring } from "./file-errors.ts"

/** The kind of thing at a path. A link at the end of the path is not followed. */
export type FileKind = "file" | "folder" | "link" | "special"

/** Facts about a file that need no reading. `device` and `inode` together identify it under every path. */
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

/** True when both are the same file, also under different names. */
export function isSameFile(one: FileStats, other: FileStats): boolean {
  return one.inode === other.inode && one.device === other.device
}

/** A name is checked several times. An attacker who swaps it for a link and back must hit the right moment each time. */
const checks = 3

/**
 * True while a real path still leads to the same file, and through no link. A file must also have as many names as before: one
 * that was hidden for a moment may have its other name outside. Needed on platforms that cannot ask what a descriptor has open.
 */
export async function stillLeadsTo(fs: FileSystem, realPath: string, stats: FileStats): Promise<boolean> {
  for (let check = 0; check < checks; check++) {
    const now = await fs.stat(realPath)
    if (!isSameFile(now, stats) || (now.kind === "file" && now.links !== stats.links)) return false
    if ((await fs.realPath(realPath)) !== realPath) return false
  }
  return true
}

/** Longer than any file system allows. A system finds that out only in the folder, and remembers nothing of it. */
const impossibleName = "x".repeat(256)

/** A longer path is refused before any folder is asked. */
const longestPathBytes = 4095

/**
 * Resolves when removals in a folder have ended that are under way. Linux counts one name of a file less and then forgets its path,
 * both while the folder is locked: between the two, a file seems to have one name and to be where it was. A name that must be looked
 * up in the folder waits for that lock (Documentation/filesystems/directory-locking).
 */
export async function waitForRemovals(fs: FileSystem, folder: string): Promise<void> {
  const path = `${folder}/${impossibleName}`
  if (Buffer.byteLength(path) > longestPathBytes) await fs.readFolder(folder, 1)
  else await fs.stat(path).catch(ignoring("ENAMETOOLONG", "ENOENT"))
}

/** Stats of a path; `undefined` when nothing is there. */
export function statIfThere(fs: FileSystem, path: string): Promise<FileStats | undefined> {
  return fs.stat(path).catch(ignoring("ENOENT"))
}

/** Removes a file. Resolves to false when there was none. */
export async function removeIfThere(fs: FileSystem, path: string): Promise<boolean> {
  const removed = await fs.remove(path).then(() => true, ignoring("ENOENT"))
  return removed ?? false
}

/** Closes a file that was only read. An error of closing is ignored: what was read stays valid. */
export async function closeQuietly(handle: Pick<OpenFile, "close"> | undefined): Promise<void> {
  await handle?.close().catch(() => {})
}

/** Runs a task and then closes `opened`, whatever happened. An error of closing is ignored. */
export function closeAfter<T>(opened: Pick<OpenFile, "close">, task: () => Promise<T>): Promise<T> {
  return task().finally(() => closeQuietly(opened))
}

/** Runs a task and returns its result. When the task throws or the result is `undefined`, `opened` is closed. */
export async function closeOnFailure<T>(opened: { close(): Promise<void> } | undefined, task: () => Promise<T>): Promise<T> {
  let result: T | undefined
  try {
    result = await task()
    return result
  } finally {
    if (result === undefined) await opened?.close().catch(() => {})
  }
}

/** `O_PATH`. Node has no constant for it. Its value is the same on every Linux that Node supports. */
const locateFlag = 0o10000000

/** The file system of this machine. */
export const nodeFileSystem: FileSystem = {
  descriptors: process.platform === "linux" ? { folder: "/proc/self/fd", locateFlag } : undefined,
  syncsFolders: process.platform !== "win32",
  open: openFile,
  stat: async (path) => statsOf(await lstat(path, { bigint: true })),
  realPath: (path) => realpath(path),
  readLink: (path) => readlink(path),
  readFolder,
  makeFolder: async (path, mode) => {
    await mkdir(path, mode)
  },
  link,
  rename,
  remove: unlink,
}

async function openFile(path: string, flags: number, mode?: number): Promise<OpenFile> {
  const handle = await open(path, flags, mode)
  return {
    descriptor: handle.fd,
    stat: async () => statsOf(await handle.stat({ bigint: true })),
    read: async (target, offset) => (await handle.read(target, offset, target.length - offset, offset)).bytesRead,
    write: async (source, offset) => (await handle.write(source, offset, source.length - offset, offset)).bytesWritten,
    setOwner: ({ user, group }) => handle.chown(user, group),
    setMode: (bits) => handle.chmod(bits),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}

async function readFolder(path: string, limit: number): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(path, { bufferSize: 256 })) {
    if (names.length >= limit) break
    names.push(name)
  }
  return names
}

function statsOf(stats: BigIntStats): FileStats {
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "special",
    sizeBytes: Number(stats.size),
    mode: Number(stats.mode) & 0o777,
    links: Number(stats.nlink),
    device: stats.dev,
    inode: stats.ino,
    modifiedNs: stats.mtimeNs,
    owner: { user: Number(stats.uid), group: Number(stats.gid) },
  }
}
