import { AsyncLocalStorage } from "node:async_hooks"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import { join, resolve } from "node:path"

/** A file that changed less than this ago may change again and keep its time: some file systems store times in steps of 2 s. */
const recentMs = 3_000

/** Large folders that hold no files of a profile. */
const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"])

/** A larger file is not part of a profile. */
const maxHashedBytes = 8 * 1024 * 1024

interface FileState {
  readonly stamp: string
  /** A hash of the content. Present only when the file had just changed, as a later change may not show in the stamp. */
  content: string | undefined
}

/** Notes the files, folders and missing files that a load depends on, and tells if they have changed since. */
export class FileLog {
  readonly #states = new Map<string, FileState>()
  /** The texts that were read, shipped ones included, by path: the kind of each, such as `persona`. */
  readonly texts = new Map<string, string>()
  /** Texts that take the place of those on the disk, by path. Undefined for a load in which none can. */
  readonly edited: ReadonlyMap<string, string> | undefined

  constructor(edited?: ReadonlyMap<string, string>) {
    this.edited = edited
  }

  /** Notes the state of a file; call it before reading the file. A file that changed between two notes counts as changed. */
  note(path: string): void {
    const { stamp, stats } = look(path)
    const known = this.#states.get(path)
    if (known === undefined)
      this.#states.set(path, { stamp, content: stats && isRecent(stats) ? contentOf(path, stats) : undefined })
    else if (known.stamp !== stamp) this.#states.set(path, { stamp: "changing", content: undefined })
  }

  /** True while every noted file is unchanged and every missing one is still missing. */
  isUnchanged(): boolean {
    for (const [path, state] of this.#states) if (!isSame(path, state)) return false
    return true
  }

  /** The noted paths, in the order of their first notes. */
  get paths(): string[] {
    return [...this.#states.keys()]
  }
}

const active = new AsyncLocalStorage<FileLog>()

/** Runs a task. Every file that it passes to {@link noteFile} is written into the log. */
export function withFileLog<T>(log: FileLog, task: () => T): T {
  return active.run(log, task)
}

/** Notes a file or folder in the current log, if there is one. Call it before looking at the file. */
export function noteFile(path: string): void {
  active.getStore()?.note(path)
}

/** True while a load may have texts in place of those on the disk. */
export function isEditing(): boolean {
  return active.getStore()?.edited !== undefined
}

/** Notes a text that a load reads. Returns the text that takes its place, if there is one. */
export function noteText(path: string, kind: string): string | undefined {
  const log = active.getStore()
  if (log?.edited === undefined) return undefined
  const whole = resolve(path)
  if (kind !== "file" || !log.texts.has(whole)) log.texts.set(whole, kind)
  return log.edited.get(whole)
}

/** Notes a folder and the folders in it, so that a file that is added anywhere in it is noticed. Links are not followed. */
export function noteFolders(folder: string, depth = 12): void {
  if (active.getStore() === undefined) return
  noteFile(folder)
  if (depth === 0) return
  for (const name of foldersIn(folder)) if (!skippedFolders.has(name)) noteFolders(join(folder, name), depth - 1)
}

/** `existsSync` that notes the file. */
export function fileExists(path: string): boolean {
  noteFile(path)
  return existsSync(path)
}

/** True when a path is a folder. Notes it. */
export function isFolder(path: string): boolean {
  return fileExists(path) && statSync(path).isDirectory()
}

function isSame(path: string, state: FileState): boolean {
  const { stamp, stats } = look(path)
  if (stamp !== state.stamp) return false
  if (state.content === undefined || stats === undefined) return true
  if (contentOf(path, stats) !== state.content) return false
  if (!isRecent(stats)) state.content = undefined
  return true
}

/** The names of the folders in a folder; none when it is missing. Notes it. */
export function foldersIn(folder: string): string[] {
  noteFile(folder)
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch {
    // A file or a missing folder. It is noted itself, and there is nothing in it.
    return []
  }
}

function look(path: string): { readonly stamp: string; readonly stats?: Stats } {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return { stamp: "missing" }
    return { stamp: [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(" "), stats }
  } catch {
    return { stamp: "unreadable" }
  }
}

/** Compared with the clock of this machine, which also gives files their times. */
function isRecent({ mtimeMs, ctimeMs }: Stats): boolean {
  return Date.now() - Math.max(mtimeMs, ctimeMs) < recentMs
}

function contentOf(path: string, stats: Stats): string {
  try {
    if (stats.isDirectory()) return JSON.stringify(readdirSync(path))
    if (!stats.isFile() || stats.size > maxHashedBytes) return ""
    return createHash("sha256").update(readFileSync(path)).digest("base64")
  } catch {
    return "unreadable"
  }
}
