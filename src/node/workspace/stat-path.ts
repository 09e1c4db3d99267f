import { closeQuietly } from "./close-quietly.ts"
import { fileError, isAbsent } from "./file-errors.ts"
import type { FileStats } from "./file-system.ts"
import { toEntry } from "./list-files.ts"
import { openFile } from "./open-file.ts"
import { splitPath } from "./path-rules.ts"
import { canonicalPath } from "./same-path.ts"
import { findTarget, type Target } from "./target.ts"
import type { WorkspaceEntry } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** What lies at a path, a link inside the workspace followed; `undefined` where there is nothing that could be opened. */
export async function statPath(root: WorkspaceRoot, path: string): Promise<WorkspaceEntry | undefined> {
  const names = splitPath(path, root.hidden)
  if (names.length === 0) return toEntry("", await root.fs.stat(root.path))
  const found = await lookAt(root, names, (target, stats) => ({ path: target.path, stats }))
  if (found?.stats?.kind !== "link") return found?.stats && toEntry(found.path, found.stats)
  const file = await openFile(root, names).catch(undefinedIfAbsent)
  await closeQuietly(file?.handle)
  return file && toEntry(file.names.join("/"), file.stats)
}

/** The path a change to `path` would be about, as it is spelled or would be. A link is refused, as it is in a change. */
export async function resolvePath(root: WorkspaceRoot, path: string): Promise<string> {
  const names = splitPath(path, root.hidden)
  const found = await lookAt(root, names, (target, stats) => {
    if (stats?.kind === "link") throw fileError("file-kind", target.path, "expected a file, found a link.")
    return target.path
  })
  return found ?? canonicalPath(path, root.names)
}

async function lookAt<T>(
  root: WorkspaceRoot,
  names: readonly string[],
  look: (target: Target, stats: FileStats | undefined) => T,
): Promise<T | undefined> {
  const target = await findTarget(root, names)
  if (!target) return undefined
  try {
    return look(target, await statsOf(root, target))
  } finally {
    await target.folder.close()
  }
}

async function statsOf(root: WorkspaceRoot, { folder, name }: Target): Promise<FileStats | undefined> {
  const stats = await root.fs.stat(folder.at(name)).catch(undefinedIfAbsent)
  await folder.check()
  return stats
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}
