import { PromptStrataError } from "../../core/errors.ts"
import { closeQuietly } from "./close-quietly.ts"
import { errnoOf, isAbsent } from "./file-errors.ts"
import { type HistoryEntry, parseEntry, printEntry } from "./history-entry.ts"
import type { HistoryLimits } from "./history-limits.ts"
import { openFlags } from "./open-flags.ts"
import type { OpenFolder } from "./open-folder.ts"
import { readBytes } from "./read-bytes.ts"
import { namesIn } from "./walk-folders.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"
import { writeNewFile } from "./write-new-file.ts"

/** A file of the history, known by its name: `<number>-<bytes>.entry`, or `.pending` before its change is seen to be done. */
export interface HistoryFile {
  readonly name: string
  readonly number: number
  readonly sizeBytes: number
  readonly pending: boolean
}

const namePattern = /^(\d{12})-(\d{1,15})\.(entry|pending)$/

/** The files of the history, oldest first. What has another name is not ours. */
export async function historyFiles(root: WorkspaceRoot, folder: OpenFolder): Promise<readonly HistoryFile[]> {
  const files = (await namesIn(root, folder)).flatMap((name): HistoryFile[] => {
    const [, number, sizeBytes, state] = namePattern.exec(name) ?? []
    if (number === undefined) return []
    return [{ name, number: Number(number), sizeBytes: Number(sizeBytes), pending: state === "pending" }]
  })
  return files.sort((a, b) => a.number - b.number)
}

/** Notes down a change that is about to be made, so that it lasts. */
export async function beginEntry(root: WorkspaceRoot, folder: OpenFolder, entry: HistoryEntry): Promise<HistoryFile> {
  const bytes = printEntry(entry)
  const number = Number(entry.record.id)
  const name = `${entry.record.id.padStart(12, "0")}-${bytes.length}.pending`
  await folder.check()
  const path = folder.at(name)
  try {
    await writeNewFile(root, { path, bytes, mode: 0o600, folder })
    await folder.sync()
  } catch (error) {
    await root.fs.remove(path).catch(() => {})
    throw error
  }
  return { name, number, sizeBytes: bytes.length, pending: true }
}

/** Marks a change as done. */
export async function finishEntry(root: WorkspaceRoot, folder: OpenFolder, file: HistoryFile): Promise<void> {
  await root.fs.rename(folder.at(file.name), folder.at(file.name.replace(/pending$/, "entry")))
}

/** An entry's content; `undefined` for one that is gone, broken, or was never written to its end. */
export async function readEntry(root: WorkspaceRoot, folder: OpenFolder, file: HistoryFile): Promise<HistoryEntry | undefined> {
  try {
    const handle = await root.fs.open(folder.at(file.name), openFlags.read)
    try {
      const { bytes } = await readBytes(handle, { path: file.name, maxBytes: file.sizeBytes })
      return bytes.length === file.sizeBytes ? parseEntry(bytes) : undefined
    } finally {
      await closeQuietly(handle)
    }
  } catch (error) {
    // Gone meanwhile, a link, or of another size than its name says: not one of ours.
    if (isAbsent(error) || errnoOf(error) === "ELOOP" || PromptStrataError.isInstance(error)) return undefined
    throw error
  }
}

/** Removes the oldest entries until the rest is within the limits; with `maxEntries` above zero the newest always stays. */
export async function pruneHistory(root: WorkspaceRoot, folder: OpenFolder, limits: HistoryLimits): Promise<void> {
  const kept = (await historyFiles(root, folder)).filter(({ pending }) => !pending).reverse()
  let sizeBytes = 0
  for (const [at, file] of kept.entries()) {
    sizeBytes += file.sizeBytes
    const fits = at < limits.maxEntries && (at === 0 || sizeBytes <= limits.maxBytes)
    if (!fits) await root.fs.remove(folder.at(file.name))
  }
}
