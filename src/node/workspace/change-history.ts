import { PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { errnoOf, isAbsent } from "./file-errors.ts"
import { closeAfter, openFlags } from "./file-system.ts"
import { namesIn, type OpenFolder, type WorkspaceRoot, writeNewFile } from "./folders.ts"
import { readBytes } from "./read-file.ts"
import type { HistoryLimits, WriteRecord } from "./workspace.ts"

/** A file of the history. Its name is `<number>-<bytes>.entry`, or `.pending` until its change is known to be done. */
export interface HistoryFile {
  readonly name: string
  readonly number: number
  readonly sizeBytes: number
  readonly pending: boolean
}

const namePattern = /^(\d{12})-(\d{1,15})\.(entry|pending)$/

/** The files of the history, oldest first. Files with other names are ignored. */
export async function historyFiles(root: WorkspaceRoot, folder: OpenFolder): Promise<readonly HistoryFile[]> {
  const files = (await namesIn(root, folder)).flatMap((name): HistoryFile[] => {
    const [, number, sizeBytes, state] = namePattern.exec(name) ?? []
    if (number === undefined) return []
    return [{ name, number: Number(number), sizeBytes: Number(sizeBytes), pending: state === "pending" }]
  })
  return files.sort((a, b) => a.number - b.number)
}

/** Writes the entry of a change that is about to be made, and syncs it to the disk. */
export async function beginEntry(root: WorkspaceRoot, folder: OpenFolder, entry: HistoryEntry): Promise<HistoryFile> {
  const bytes = printEntry(entry)
  const name = `${entry.record.id.padStart(12, "0")}-${bytes.length}.pending`
  await folder.check()
  try {
    await writeNewFile(root.fs, folder, { name, bytes, mode: 0o600 })
    await folder.sync()
  } catch (error) {
    await root.fs.remove(folder.at(name)).catch(() => {})
    throw error
  }
  return { name, number: Number(entry.record.id), sizeBytes: bytes.length, pending: true }
}

/** Marks a change as done. */
export async function finishEntry(root: WorkspaceRoot, folder: OpenFolder, { name }: HistoryFile): Promise<void> {
  await root.fs.rename(folder.at(name), folder.at(name.replace(/pending$/, "entry")))
}

/** The content of an entry; `undefined` for one that is gone, broken or incomplete. */
export async function readEntry(root: WorkspaceRoot, folder: OpenFolder, file: HistoryFile): Promise<HistoryEntry | undefined> {
  try {
    const handle = await root.fs.open(folder.at(file.name), openFlags.read)
    const limits = { maxBytes: file.sizeBytes }
    const { bytes } = await closeAfter(handle, () => readBytes(handle, file.name, limits))
    return bytes.length === file.sizeBytes ? parseEntry(bytes) : undefined
  } catch (error) {
    // It was removed, is a link, or has another size than its name says: this library did not write it.
    if (isAbsent(error) || errnoOf(error) === "ELOOP" || PromptStrataError.isInstance(error)) return undefined
    throw error
  }
}

/** Removes the oldest entries until the rest is within the limits. The newest stays unless `maxEntries` is 0. */
export async function pruneHistory(root: WorkspaceRoot, folder: OpenFolder, limits: HistoryLimits): Promise<void> {
  const done = (await historyFiles(root, folder)).filter(({ pending }) => !pending).reverse()
  let sizeBytes = 0
  for (const [at, file] of done.entries()) {
    sizeBytes += file.sizeBytes
    const fits = at < limits.maxEntries && (at === 0 || sizeBytes <= limits.maxBytes)
    if (!fits) await root.fs.remove(folder.at(file.name))
  }
}

/** One change as it is stored: its record, and what the file held before. */
export interface HistoryEntry {
  readonly record: WriteRecord
  /** Absent when there was no file. */
  readonly before: Uint8Array | undefined
  /** The name of the temporary file, beside the changed one, that holds the new content until it is renamed. */
  readonly temporary: string
}

/** An entry as bytes: one line of JSON, then the former bytes of the file. */
export function printEntry({ record, before, temporary }: HistoryEntry): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify({ version: 1, record, temporary, beforeBytes: before?.length })}\n`)
  const bytes = new Uint8Array(line.length + (before?.length ?? 0))
  bytes.set(line)
  bytes.set(before ?? [], line.length)
  return bytes
}

/** The inverse of {@link printEntry}; `undefined` for bytes that are not a complete entry. */
export function parseEntry(bytes: Uint8Array): HistoryEntry | undefined {
  const end = bytes.indexOf(0x0a)
  if (end < 0) return undefined
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))
    if (!isRecord(header)) return undefined
    const { version, temporary, beforeBytes } = header
    const record = readRecord(header.record)
    const rest = bytes.subarray(end + 1)
    if (version !== 1 || record === undefined || typeof temporary !== "string" || rest.length !== (beforeBytes ?? 0))
      return undefined
    return { record, temporary, before: beforeBytes === undefined ? undefined : rest }
  } catch {
    return undefined
  }
}

const textKeys = ["id", "path", "by", "diff"]
const optionalTextKeys = ["beforeHash", "afterHash", "undoes"]

/** A record as it was written; `undefined` for anything else. Not checked by zod, which no program that writes files should load. */
function readRecord(value: unknown): WriteRecord | undefined {
  if (!isRecord(value)) return undefined
  const known = Object.entries(value).filter(([name]) => [...textKeys, ...optionalTextKeys, "atMs"].includes(name))
  const isSound = known.every(([name, member]) => typeof member === (name === "atMs" ? "number" : "string"))
  const isWhole = [...textKeys, "atMs"].every((name) => Object.hasOwn(value, name))
  return isSound && isWhole ? (Object.fromEntries(known) as unknown as WriteRecord) : undefined
}
