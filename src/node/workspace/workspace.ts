import type { Clock, IdGenerator, RandomSource, Timers } from "../../core/ports.ts"
import type { FileSystem } from "./file-system.ts"
import type { HiddenRule } from "./paths.ts"

/** A text file of a workspace as it was when it was read. */
export interface WorkspaceFile {
  /** Where it really lies: names between slashes, from the workspace's root. */
  readonly path: string
  /** Exactly as in the file: byte order mark and line ends included. */
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

/** What lies at a path: a file or a folder, and nothing else is ever shown. */
export interface WorkspaceEntry {
  readonly path: string
  readonly kind: "file" | "folder"
  /** 0 for a folder. */
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

/** What a change left: who made it, when, and what it did. Kept in the history, newest last. */
export interface WriteRecord {
  /** A number in digits that only grows within a workspace. */
  readonly id: string
  readonly path: string
  readonly by: string
  readonly atMs: number
  /** Absent where the file was made by this change. */
  readonly beforeHash?: string
  /** Absent where the file was removed by this change. */
  readonly afterHash?: string
  /** One hunk of a unified diff; cut, saying so, where it is long. */
  readonly diff: string
  /** The record whose former content this change brought back. */
  readonly undoes?: string
}

/** What a change came to. */
export interface WriteOutcome {
  readonly path: string
  /** What the file holds now; absent once it is removed. */
  readonly hash?: string
  /** Absent when nothing was to be changed, and nothing was written. */
  readonly record?: WriteRecord
}

/** Who makes a change. */
export interface ChangeOptions {
  readonly by: string
  readonly signal?: AbortSignal | undefined
}

/** What a write expects to find: no file, or one with that content. */
export type Expectation = "absent" | { readonly hash: string }

/** Lines that hold a text, and whether there are more. */
export interface SearchOutcome {
  /** `line` counts from 1; `text` is at most 500 characters around the first hit in it. */
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[]
  /** True when files or matches were left out because of a limit. */
  readonly truncated: boolean
  /** Files that could not be searched: no text, too large, or not to be opened. */
  readonly skipped: readonly string[]
}

/**
 * Files that can be trusted: nothing outside the root is read or written, whatever a path says; a write is whole or not at all
 * and lasts once it is acknowledged; no change by another process is lost unseen. Paths are names between slashes; every call
 * throws errors whose `code` begins with `file`, with `path` in their evidence, and `aborted` once its signal is.
 */
export interface Workspace {
  /** The root's real path. */
  readonly root: string
  /** `opened` where paths are judged by what they opened (Linux), `named` where by their names, before and after. */
  readonly judgedBy: "opened" | "named"
  /** A whole text file; `file-missing`, `file-encoding`, `file-size` over `maxFileBytes`. Links inside the root are followed. */
  read(path: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<WorkspaceFile>
  /** A whole file of any kind of content. */
  readBytes(
    path: string,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
  ): Promise<WorkspaceBytes>
  /** What lies at a path; `undefined` where there is nothing. */
  stat(path: string): Promise<WorkspaceEntry | undefined>
  /**
   * The path that a write to `path` would change, as it is spelled on the disk or would be; a link is an error, as in a write.
   * So a guard that compares it, or `path` itself, by `samePath` cannot be got round.
   */
  resolve(path: string): Promise<string>
  /** Replaces or makes a file. `file-conflict` when something else is there than `expect` says. */
  write(path: string, text: string, options: ChangeOptions & { readonly expect?: Expectation | undefined }): Promise<WriteOutcome>
  /**
   * Changes a file by what it holds at that moment; no other change falls between. `change` gives the new text, or `undefined`
   * to leave everything as it is; it must be synchronous, so that nobody waits for a model with the workspace locked.
   */
  update(
    path: string,
    change: (current: WorkspaceFile | undefined) => string | undefined,
    options: ChangeOptions,
  ): Promise<WriteOutcome>
  /** Removes a file; `undo` brings it back. */
  remove(
    path: string,
    options: ChangeOptions & { readonly expect?: { readonly hash: string } | undefined },
  ): Promise<WriteOutcome>
  /** Files and folders below a folder, in the order of their names; hidden ones, links and special files are left out. */
  list(
    path?: string,
    options?: { readonly depth?: number; readonly limit?: number; readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly entries: readonly WorkspaceEntry[]; readonly truncated: boolean }>
  /** Lines that hold `text` literally, in the order of {@link Workspace.list}; `path` is a folder or one file. */
  search(
    text: string,
    options?: {
      readonly path?: string
      readonly ignoreCase?: boolean
      readonly limit?: number
      readonly signal?: AbortSignal | undefined
    },
  ): Promise<SearchOutcome>
  /** Records of changes, newest first. */
  history(options?: { readonly path?: string; readonly limit?: number }): Promise<readonly WriteRecord[]>
  /**
   * Brings back what a file held before its last change, or before the change `id`, byte for byte and as a change of its own:
   * undoing twice does it again. `file-conflict` when somebody else changed the file since, `file-missing` without such a record.
   */
  undo(options: ChangeOptions & { readonly path?: string | undefined; readonly id?: string | undefined }): Promise<WriteOutcome>
}

/** How a workspace is opened; everything has a default. */
export interface WorkspaceOptions {
  readonly clock?: Clock
  readonly ids?: IdGenerator
  readonly timers?: Timers
  readonly random?: RandomSource
  readonly fs?: FileSystem
  /** The largest file that is read as text or written: 1 MiB. */
  readonly maxFileBytes?: number
  /** Files with several names may lead out of the workspace: `refuse`. */
  readonly hardLinks?: "refuse" | "allow"
  /** Names that begin with a dot: `refuse`. The workspace's own are refused always. */
  readonly hidden?: HiddenRule
  /** The one spelling of names that matter, such as `SOUL.md`, for the moment in which they are made. */
  readonly names?: readonly string[]
  /** 100 changes and 16 MiB. */
  readonly history?: Partial<HistoryLimits>
  /** How long a change waits for other processes: 30 seconds. */
  readonly lockTimeoutMs?: number
}

/** How much of the history is kept: the oldest go first; unless `maxEntries` is 0 the newest always stays. */
export interface HistoryLimits {
  readonly maxEntries: number
  readonly maxBytes: number
}
