import type { BigIntStats } from "node:fs"
import { link, lstat, mkdir, open, opendir, readlink, realpath, rename, unlink } from "node:fs/promises"
import type { FileKind, FileStats, FileSystem, OpenFile } from "./file-system.ts"

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
    kind: kindOf(stats),
    sizeBytes: Number(stats.size),
    mode: Number(stats.mode) & 0o777,
    links: Number(stats.nlink),
    device: stats.dev,
    inode: stats.ino,
    modifiedNs: stats.mtimeNs,
    owner: { user: Number(stats.uid), group: Number(stats.gid) },
  }
}

function kindOf(stats: BigIntStats): FileKind {
  if (stats.isFile()) return "file"
  if (stats.isDirectory()) return "folder"
  return stats.isSymbolicLink() ? "link" : "special"
}
