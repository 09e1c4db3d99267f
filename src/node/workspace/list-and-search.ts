import { PromptStrataError } from "../../core/errors.ts"
import { findTarget } from "./change-file.ts"
import { fileError, ignoring, stopIfAborted } from "./file-errors.ts"
import { closeAfter, closeQuietly, type FileStats, statIfThere } from "./file-system.ts"
import { namesIn, type OpenFolder, type WorkspaceRoot, walkFolders } from "./folders.ts"
import { canonicalPath, isPath, splitPath } from "./paths.ts"
import { openFile, readWorkspaceFile } from "./read-file.ts"
import type { SearchOutcome, WorkspaceEntry } from "./workspace.ts"

/** The entry at a path. A link inside the workspace is followed. `undefined` when there is nothing that could be opened. */
export async function statPath(root: WorkspaceRoot, path: string): Promise<WorkspaceEntry | undefined> {
  const names = splitPath(path, root.hidden)
  if (names.length === 0) return toEntry("", await root.fs.stat(root.path))
  const found = await lookUp(root, names)
  if (found?.stats?.kind !== "link") return found?.stats && toEntry(found.path, found.stats)
  const file = await openFile(root, names).catch(ignoring("ENOENT"))
  await closeQuietly(file?.handle)
  return file && toEntry(file.names.join("/"), file.stats)
}

/** The path of the file that a change to `path` would be about. A link is refused, as it is in a change. */
export async function resolvePath(root: WorkspaceRoot, path: string): Promise<string> {
  const found = await lookUp(root, splitPath(path, root.hidden))
  if (found?.stats?.kind === "link") throw fileError("file-kind", found.path, "expected a file, found a link.")
  return found?.path ?? canonicalPath(path, root.names)
}

async function lookUp(root: WorkspaceRoot, names: readonly string[]) {
  const target = await findTarget(root, names)
  if (!target) return undefined
  const { folder, name, path } = target
  return closeAfter(folder, async () => {
    const stats = await statIfThere(root.fs, folder.at(name))
    await folder.check()
    return { path, stats }
  })
}

/** The depth of a walk; 1 stays in the folder itself. */
type WalkOptions = { readonly depth: number; readonly signal?: AbortSignal | undefined }

/** Files and folders below a folder, by name. A folder comes before its content. Throws when `path` is not a folder. */
export async function* walkFiles(root: WorkspaceRoot, path: string, options: WalkOptions): AsyncGenerator<WorkspaceEntry> {
  const folder = await walkFolders(root, splitPath(path, root.hidden))
  if (!folder) throw fileError("file-missing", path, "expected a folder, found none.")
  yield* entriesOf(root, folder, options)
}

async function* entriesOf(root: WorkspaceRoot, folder: OpenFolder, options: WalkOptions): AsyncGenerator<WorkspaceEntry> {
  const { depth, signal } = options
  try {
    const names = (await namesIn(root, folder)).filter((one) => isPath(one, root.hidden)).sort()
    for (const name of names) {
      stopIfAborted(signal)
      const entry = await entryOf(root, folder, name).catch(ignoring("ENOENT"))
      if (!entry) continue
      yield entry
      if (entry.kind === "file" || depth <= 1) continue
      // A folder is skipped when it was removed, became a link, or may not be entered.
      const inner = await folder.enter(name).catch(ignoring("ENOENT", "EACCES", "file-kind"))
      if (inner) yield* entriesOf(root, inner, { depth: depth - 1, signal })
    }
  } finally {
    await folder.close()
  }
}

async function entryOf(root: WorkspaceRoot, folder: OpenFolder, name: string): Promise<WorkspaceEntry | undefined> {
  const stats = await root.fs.stat(folder.at(name))
  await folder.check()
  return toEntry([...folder.names, name].join("/"), stats)
}

/** The entry of a file or a folder; `undefined` for anything else. */
function toEntry(path: string, { kind, sizeBytes, modifiedNs }: FileStats): WorkspaceEntry | undefined {
  if (kind !== "file" && kind !== "folder") return undefined
  return { path, kind, sizeBytes: kind === "file" ? sizeBytes : 0, modifiedAtMs: Number(modifiedNs / 1_000_000n) }
}

/** Collects up to `limit` entries of a walk. */
export async function collect(
  walk: AsyncGenerator<WorkspaceEntry>,
  limit: number,
): Promise<{ readonly entries: readonly WorkspaceEntry[]; readonly truncated: boolean }> {
  const entries: WorkspaceEntry[] = []
  for await (const entry of walk) {
    if (entries.length >= limit) return { entries, truncated: true }
    entries.push(entry)
  }
  return { entries, truncated: false }
}

/** One search reads at most this much. */
const maxSearchBytes = 32 * 1024 * 1024
const maxFiles = 5_000
const maxLineUnits = 500

interface SearchOptions extends WalkOptions {
  readonly text: string
  readonly path: string
  readonly ignoreCase: boolean
  /** The largest number of matches. */
  readonly limit: number
}

/** Finds the lines that hold a text literally, file by file. */
export async function searchFiles(root: WorkspaceRoot, options: SearchOptions): Promise<SearchOutcome> {
  const { text, path, limit, signal } = options
  if (text === "") throw new PromptStrataError("usage", "Expected a text to search for, found an empty one.")
  const matches: SearchOutcome["matches"][number][] = []
  const skipped: string[] = []
  let [files, sizeBytes] = [0, 0]
  for await (const entry of entriesAt(root, path, options)) {
    if (entry.kind === "folder") continue
    files += 1
    sizeBytes += entry.sizeBytes
    if (files > maxFiles || sizeBytes > maxSearchBytes) return { matches, skipped, truncated: true }
    const found = await readableText(root, entry.path, signal)
    if (found === undefined) skipped.push(entry.path)
    for (const match of linesWith(found ?? "", options)) {
      if (matches.length >= limit) return { matches, skipped, truncated: true }
      matches.push({ path: entry.path, ...match })
    }
  }
  return { matches, skipped, truncated: false }
}

async function* entriesAt(root: WorkspaceRoot, path: string, options: SearchOptions): AsyncGenerator<WorkspaceEntry> {
  const entry = await statPath(root, path)
  if (entry?.kind === "file") yield entry
  else yield* walkFiles(root, path, options)
}

/** `undefined` for a file that is not text, is too large, or cannot be opened. */
async function readableText(root: WorkspaceRoot, path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return (await readWorkspaceFile(root, path, signal)).text
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "aborted") throw error
    return undefined
  }
}

function* linesWith(text: string, { text: wanted, ignoreCase }: SearchOptions): Generator<{ line: number; text: string }> {
  const fold = (one: string) => (ignoreCase ? one.toLowerCase() : one)
  const needle = fold(wanted)
  for (const [at, line] of text.split("\n").entries()) {
    const found = fold(line).indexOf(needle)
    if (found >= 0) yield { line: at + 1, text: around(line.replace(/\r$/, ""), found) }
  }
}

/** A long line is cut around its first hit, between whole characters. */
function around(line: string, at: number): string {
  if (line.length <= maxLineUnits) return line
  const from = Math.max(0, Math.min(at - maxLineUnits / 2, line.length - maxLineUnits))
  return line.slice(from, from + maxLineUnits).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
}
