import { AsyncLocalStorage } from "node:async_hooks"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"

/** What changed so recently may change again without another time: file systems count in steps of up to two seconds. */
const recentMs = 3_000

/** Large folders in which nothing of a profile lies. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules"])

/** Larger files are no part of a profile. */
const maxHashedBytes = 8 * 1024 * 1024

/** How a file was found. */
interface FileState {
  readonly stamp: string
  /** Only of what had changed shortly before: its content, as its stamp may lag. */
  content?: string
}

/** The files, folders and absences that a load was made of, and whether they are as they were. */
export class FileLog {
  readonly #states = new Map<string, FileState>()

  /** Notes how a file is before it is read. One that changes while it is noted twice counts as changed. */
  note(path: string): void {
    const { stamp, stats } = look(path)
    const known = this.#states.get(path)
    if (known === undefined)
      this.#states.set(path, { stamp, ...(stats && isRecent(stats) ? { content: contentOf(path, stats) } : {}) })
    else if (known.stamp !== stamp) this.#states.set(path, { stamp: "changing" })
  }

  /** True while every noted file is as it was, and missing ones are missing. */
  isUnchanged(): boolean {
    for (const [path, state] of this.#states) if (!isSame(path, state)) return false
    return true
  }

  get paths(): string[] {
    return [...this.#states.keys()]
  }
}

const active = new AsyncLocalStorage<FileLog>()

/** Runs a task of which every file that goes through {@link noteFile} is written into the log. */
export function withFileLog<T>(log: FileLog, task: () => T): T {
  return active.run(log, task)
}

/** Tells the log that is kept, if one is, that a file or folder is about to be looked at. */
export function noteFile(path: string): void {
  active.getStore()?.note(path)
}

/** Notes a folder and the folders in it, so that a file that is added anywhere in it is seen; links are not followed. */
export function noteFolders(folder: string, depth = 12): void {
  if (active.getStore() === undefined) return
  noteFile(folder)
  if (depth === 0) return
  for (const name of foldersIn(folder)) if (!passedOver.has(name)) noteFolders(join(folder, name), depth - 1)
}

/** `existsSync` that is noted. */
export function fileExists(path: string): boolean {
  noteFile(path)
  return existsSync(path)
}

function isSame(path: string, state: FileState): boolean {
  const { stamp, stats } = look(path)
  if (stamp !== state.stamp) return false
  if (state.content === undefined || stats === undefined) return true
  if (contentOf(path, stats) !== state.content) return false
  if (!isRecent(stats)) delete state.content
  return true
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch {
    // A file, or a folder that is not there: noted as it is, and nothing is in it.
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

/** Beside the host's clock, as the times of its files are. */
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

/** True when a folder is there to be read. */
export function isFolder(path: string): boolean {
  return fileExists(path) && statSync(path).isDirectory()
}
