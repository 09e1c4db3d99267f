import { readFile } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { hostPorts } from "../../core/ports.ts"
import { createKeyedQueue } from "../../memory/services/keyed-queue.ts"
import { readTarget, replaceOrRemove } from "./change-file.ts"
import { ignoring, stopIfAborted, withFileErrors } from "./file-errors.ts"
import { closeAfter, nodeFileSystem, removeIfThere } from "./file-system.ts"
import { findRoot, makeFolders, openRootFolder, type WorkspaceRoot } from "./folders.ts"
import { withLock } from "./lock.ts"
import { ownName } from "./paths.ts"
import { decodeText, toBytes } from "./text-encoding.ts"

/** Keeps the changes of one file by this process in the order in which they were asked for. */
const queue = createKeyedQueue()

const maxFileBytes = 64 * 1024 * 1024

/** How long a change waits for other processes. */
const lockTimeoutMs = 30_000

/**
 * Changes a text file of the library's own, such as a schedule. `change` gets the text, `undefined` when there is no file, and
 * returns the new one, or `undefined` to keep the file. No other process changes the file in between: the folder is locked as a
 * workspace is. The file is replaced in one step, and the change is durable when it is acknowledged. A missing folder is created;
 * a link is followed. There is no history. All code that reads, changes and writes a file must do so here or in a workspace.
 */
export function updateFile(
  path: string,
  change: (text: string | undefined) => string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const update = async (): Promise<void> => {
    const { timers, random, ids } = hostPorts
    const fs = nodeFileSystem
    await makeFolders(fs, dirname(path))
    const real = (await fs.realPath(path).catch(ignoring("ENOENT"))) ?? resolve(path)
    const place = await findRoot(dirname(real), fs)
    const root: WorkspaceRoot = { ...place, hidden: "allow", hardLinks: "allow", maxFileBytes, names: [] }
    const nextId = () => ids.next("write").replace(/[^A-Za-z0-9_-]/g, "_")
    return withLock(root, { timers, random, timeoutMs: lockTimeoutMs, signal, nextId }, () =>
      replaceText(root, { name: basename(real), path }, change, signal),
    )
  }
  return queue.enqueue(resolve(path), () => withFileErrors("update", path, update))
}

/** The text of a file that {@link updateFile} changes; `undefined` when there is none. Throws errors whose code begins with `file`. */
export function readOwnFile(path: string): Promise<string | undefined> {
  return withFileErrors("read", path, async () => {
    const bytes = await readFile(path).catch(ignoring("ENOENT"))
    return bytes && decodeText(bytes, path)
  })
}

/** The folder must be locked. */
async function replaceText(
  root: WorkspaceRoot,
  { name, path }: { readonly name: string; readonly path: string },
  change: (text: string | undefined) => string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const folder = await openRootFolder(root)
  return closeAfter(folder, async () => {
    const target = { folder, name, path }
    const current = await readTarget(root, target, signal)
    const text = change(current && decodeText(current.bytes, path))
    // The last moment to stop: the write that follows is not interrupted.
    stopIfAborted(signal)
    if (text === undefined) return
    // Always the same name, so that a process that ends here leaves one such file at most, and the next change removes it.
    const temporary = `${ownName}-${name}.tmp`
    await removeIfThere(root.fs, folder.at(temporary))
    try {
      await replaceOrRemove(root, { target, current, after: toBytes(text, path) }, temporary)
    } catch (error) {
      await removeIfThere(root.fs, folder.at(temporary)).catch(() => {})
      throw error
    }
    await folder.sync()
  })
}
