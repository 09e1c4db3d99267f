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
