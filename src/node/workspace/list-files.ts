import { errnoOf, fileError, isAbsent, stopIfAborted } from "./file-errors.ts"
import { closeQuietly, type FileStats, statIfThere } from "./file-system.ts"
import { namesIn, type OpenFolder, walkFolders } from "./folders.ts"
import { canonicalPath, splitPath } from "./paths.ts"
import { openFile } from "./read-file.ts"
import { findTarget, type Target } from "./target.ts"
import type { WorkspaceEntry } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** The entry at a path. A link inside the workspace is followed. `undefined` when there is nothing that could be opened. */
export async function statPath(root: WorkspaceRoot, path: string): Promise<WorkspaceEntry | undefined> {
  const names = splitPath(path, root.hidden)
  if (names.length === 0) return toEntry("", await root.fs.stat(root.path))
  const found = await lookUp(root, names, (target, stats) => ({ path: target.path, stats }))
  if (found?.stats?.kind !== "link") return found?.stats && toEntry(found.path, found.stats)
  const file = await openFile(root, names).catch(undefinedIfAbsent)
  await closeQuietly(file?.handle)
  return file && toEntry(file.names.join("/"), file.stats)
}

/** The path of the file that a change to `path` would be about. A link is refused, as it is in a change. */
export async function resolvePath(root: WorkspaceRoot, path: string): Promise<string> {
  const names = splitPath(path, root.hidden)
  const found = await lookUp(root, names, (target, stats) => {
    if (stats?.kind === "link") throw fileError("file-kind", target.path, "expected a file, found a link.")
    return target.path
  })
  return found ?? canonicalPath(path, root.names)
}

async function lookUp<T>(
  root: WorkspaceRoot,
  names: readonly string[],
  use: (target: Target, stats: FileStats | undefined) => T,
): Promise<T | undefined> {
  const target = await findTarget(root, names)
  if (!target) return undefined
  const { folder, name } = target
  try {
    const stats = await statIfThere(root.fs, folder.at(name))
    await folder.check()
    return use(target, stats)
  } finally {
    await folder.close()
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}

/** The depth of a walk; 1 stays in the folder itself. */
export interface WalkOptions {
  readonly depth: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Files and folders below a folder, in the order of their names. A folder comes before its content. Throws when `path` is not a
 * folder.
 */
export async function* walkFiles(root: WorkspaceRoot, path: string, options: WalkOptions): AsyncGenerator<WorkspaceEntry> {
  const folder = await walkFolders(root, splitPath(path, root.hidden))
  if (!folder) throw fileError("file-missing", path, "expected a folder, found none.")
  yield* entriesOf(root, folder, options)
}

async function* entriesOf(
  root: WorkspaceRoot,
  folder: OpenFolder,
  { depth, signal }: WalkOptions,
): AsyncGenerator<WorkspaceEntry> {
  try {
    const names = (await namesIn(root, folder)).filter((one) => isOpenable(root, one)).sort()
    for (const name of names) {
      stopIfAborted(signal)
      const entry = await entryOf(root, folder, name).catch(undefinedIfAbsent)
      if (!entry) continue
      yield entry
      const inner = entry.kind === "folder" && depth > 1 ? await enterIfPossible(folder, name) : undefined
      if (inner) yield* entriesOf(root, inner, { depth: depth - 1, signal })
    }
  } finally {
    await folder.close()
  }
}

/** False for a name that the path rules refuse: it could not be opened. */
function isOpenable(root: WorkspaceRoot, name: string): boolean {
  try {
    return splitPath(name, root.hidden).length === 1
  } catch {
    return false
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

/** A folder is skipped when it was removed, became a link, or may not be entered. */
async function enterIfPossible(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  try {
    return await folder.enter(name)
  } catch (error) {
    if (["ENOENT", "EACCES", "file-kind"].includes(errnoOf(error) ?? "")) return undefined
    throw error
  }
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
