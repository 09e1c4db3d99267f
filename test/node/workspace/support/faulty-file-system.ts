import type { FileSystem, OpenFile } from "../../../../src/node/workspace/file-system.ts"

/** A file system whose calls fail when `fails` returns true for the number of a call, from 1, and its name. */
export interface FaultyFileSystem {
  readonly fs: FileSystem
  /** The names of all calls so far. */
  readonly calls: readonly string[]
  /** The number of open files. */
  openFiles(): number
}

/** Wraps a file system. A call that fails does nothing, except that a file is closed even if closing it fails. */
export function faultyFileSystem(
  inner: FileSystem,
  code: string,
  fails: (number: number, name: string) => boolean = () => false,
): FaultyFileSystem {
  const calls: string[] = []
  let open = 0

  function guard<A extends readonly unknown[], R>(name: string, call: (...args: A) => Promise<R>, always = false) {
    return async (...args: A): Promise<R> => {
      calls.push(name)
      const failed = fails(calls.length, name)
      const given = !failed || always ? await call(...args) : undefined
      if (failed) throw Object.assign(new Error(`${code}: made to fail, ${name}`), { code, syscall: name })
      return given as R
    }
  }

  function guardFile(file: OpenFile): OpenFile {
    open += 1
    const close = async () => {
      open -= 1
      await file.close()
    }
    return {
      descriptor: file.descriptor,
      stat: guard("fstat", file.stat),
      read: guard("read", file.read),
      write: guard("write", file.write),
      setOwner: guard("fchown", file.setOwner),
      setMode: guard("fchmod", file.setMode),
      sync: guard("fsync", file.sync),
      close: guard("close", close, true),
    }
  }

  const fs: FileSystem = {
    descriptors: inner.descriptors,
    syncsFolders: inner.syncsFolders,
    open: guard("open", async (path: string, flags: number, mode?: number) => guardFile(await inner.open(path, flags, mode))),
    stat: guard("lstat", inner.stat),
    realPath: guard("realpath", inner.realPath),
    readLink: guard("readlink", inner.readLink),
    readFolder: guard("readdir", inner.readFolder),
    makeFolder: guard("mkdir", inner.makeFolder),
    link: guard("link", inner.link),
    rename: guard("rename", inner.rename),
    remove: guard("unlink", inner.remove),
  }
  return { fs, calls, openFiles: () => open }
}
