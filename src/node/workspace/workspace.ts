import type { Clock, IdGenerator, RandomSource, Timers } from "../../core/ports.ts"
import type { DocumentChange } from "../../prompt/layers/documents/document.ts"
import type { FileSystem } from "./file-system.ts"
import type { HiddenFiles } from "./paths.ts"

/** A text file of a workspace, as it was when it was read. */
export interface WorkspaceFile {
  /** Its real place: names between slashes, from the root of the workspace. */
  readonly path: string
  /** The exact text, with its byte order mark and its line ends. */
  readonly text: string
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string
  readonly sizeBytes: number
  /** Permission bits, such as 0o644. */
  readonly mode: number
}

/** A file of a workspace as bytes. */
export interface WorkspaceBytes extends Omit<WorkspaceFile, "text"> {
  readonly bytes: Uint8Array
}

/** A file or a folder. Other things on the disk are never shown. */
export interface WorkspaceEntry {
  readonly path: string
  readonly kind: "file" | "folder"
  /** 0 for a folder. */
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

/** The record of one change. It is kept in the history. */
export type WriteRecord = DocumentChange

/** The outcome of a change. */
export interface WriteOutcome {
  readonly path: string
  /** The hash of the new content. Absent when there is no file now. */
  readonly hash?: string
  /** Absent when nothing had to be changed and nothing was written. */
  readonly record?: WriteRecord
}

/** The signal that stops a call. */
type CallOptions = { readonly signal?: AbortSignal | undefined }

/** The author of a change. */
export interface WriteOptions extends CallOptions {
  readonly by: string
}

/** The file that a write expects to find: none, or one with this content. */
export type Expectation = "absent" | { readonly hash: string }

/** The lines that a search found. */
export interface SearchOutcome {
  /** `line` counts from 1. `text` holds at most 500 characters around the first hit in the line. */
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[]
  /** True when files or matches were left out because of a limit. */
  readonly truncated: boolean
  /** Files that could not be searched: not text, too large, or impossible to open. */
  readonly skipped: readonly string[]
}

/**
 * Files in a folder, read and changed safely. Nothing outside the root is read or written, whatever a path says. A write happens
 * completely or not at all, and is durable when it is acknowledged. A change by another process is never overwritten unseen.
 * A path is names between slashes. Every call throws errors whose `code` begins with `file`, with `path` in their evidence, and
 * `aborted` when its signal is aborted.
 */
export interface FileWorkspace {
  /** The real path of the root. */
  readonly root: string
  /** `opened`: paths are checked by what was opened (Linux). `named`: by their names, before and after opening. */
  readonly pathCheck: "opened" | "named"
  /**
   * Reads a whole text file. Links inside the root are followed. Throws `file-missing`, `file-encoding` when it is not text, and
   * `file-size` when it is larger than `maxFileBytes`.
   */
  read(path: string, options?: CallOptions): Promise<WorkspaceFile>
  /** Reads a whole file with any content. */
  readBytes(path: string, options: CallOptions & { readonly maxBytes: number }): Promise<WorkspaceBytes>
  /** The entry at a path; `undefined` when nothing is there. */
  stat(path: string): Promise<WorkspaceEntry | undefined>
  /**
   * The path that a write to `path` would change, as it is spelled on the disk or would be. A link is an error, as in a write.
   * A guard that compares this path, or `path` itself, by `samePath` cannot be bypassed.
   */
  resolve(path: string): Promise<string>
  /** Replaces or creates a file. Throws `file-conflict` when the file is not the one that `expect` describes. */
  write(path: string, text: string, options: WriteOptions & { readonly expect?: Expectation | undefined }): Promise<WriteOutcome>
  /**
   * Changes a file according to its content. No other change happens in between. `change` returns the new text, or `undefined`
   * to keep the file. It must be synchronous, as the workspace is locked while it runs.
   */
  update(
    path: string,
    change: (current: WorkspaceFile | undefined) => string | undefined,
    options: WriteOptions,
  ): Promise<WriteOutcome>
  /** Removes a file. `undo` brings it back. */
  remove(path: string, options: WriteOptions & { readonly expect?: { readonly hash: string } | undefined }): Promise<WriteOutcome>
  /** Files and folders below a folder, in the order of their names. Hidden ones, links and special files are left out. */
  list(
    path?: string,
    options?: CallOptions & { readonly depth?: number; readonly limit?: number },
  ): Promise<{ readonly entries: readonly WorkspaceEntry[]; readonly truncated: boolean }>
  /** Finds lines that hold `text` literally, in the order of {@link FileWorkspace.list}. `path` is a folder or one file. */
  search(
    text: string,
    options?: CallOptions & { readonly path?: string; readonly ignoreCase?: boolean; readonly limit?: number },
  ): Promise<SearchOutcome>
  /** Records of changes, newest first. */
  history(options?: { readonly path?: string; readonly limit?: number }): Promise<readonly WriteRecord[]>
  /**
   * Brings back what a file held before its last change, or before the change `id`, byte for byte. This is a change of its own:
   * undo it, and the file is as before. Throws `file-conflict` when the file was changed since without a record, or is not the one
   * that `expect` describes, and `file-missing` when there is no such record.
   */
  undo(
    options: WriteOptions & {
      readonly path?: string | undefined
      readonly id?: string | undefined
      readonly expect?: Expectation | undefined
    },
  ): Promise<WriteOutcome>
}

/** Settings of `openFolder`. All have defaults. */
export interface FileWorkspaceOptions {
  readonly clock?: Clock
  readonly ids?: IdGenerator
  readonly timers?: Timers
  readonly random?: RandomSource
  readonly fs?: FileSystem
  /** The largest file that is read as text or written. Default 1 MiB. */
  readonly maxFileBytes?: number
  /** Files with several names. Another name may lie outside the workspace. Default `refuse`. */
  readonly hardLinks?: "refuse" | "allow"
  /** Names that begin with a dot. Default `refuse`. The workspace's own folder is always refused. */
  readonly hidden?: HiddenFiles
  /** The exact spelling of names that matter, such as `SOUL.md`, used when such a file is created. */
  readonly names?: readonly string[]
  /** Default: 100 changes and 16 MiB. */
  readonly history?: Partial<HistoryLimits>
  /** How long a change waits for other processes. Default 30 seconds. */
  readonly lockTimeoutMs?: number
}

/** The size of the history. Over a limit the oldest changes are dropped. The newest stays unless `maxEntries` is 0. */
export interface HistoryLimits {
  readonly maxEntries: number
  readonly maxBytes: number
}
