import { beginEntry, finishEntry, historyFiles, pruneHistory } from "./change-history.ts"
import { fileError, tooLarge } from "./file-errors.ts"
import {
  closeAfter,
  closeOnFailure,
  type FileStats,
  isSameFile,
  openFlags,
  removeIfThere,
  statIfThere,
  waitForRemovals,
} from "./file-system.ts"
import { type OpenFolder, spellingOf, type WorkspaceRoot, walkFolders, writeNewFile } from "./folders.ts"
import { lineDiff } from "./line-diff.ts"
import type { OwnFolder } from "./own-folder.ts"
import { ownName } from "./paths.ts"
import { checkKind, readBytes } from "./read-file.ts"
import { contentHash } from "./text-encoding.ts"
import type { Expectation, HistoryLimits, WriteOutcome, WriteRecord } from "./workspace.ts"

/** The outcome of a change for a file: new bytes, removed, or kept as it is. */
export type FileResult = { readonly bytes: Uint8Array } | "remove" | "keep"

/** A change to make. */
export interface FileWork {
  readonly names: readonly string[]
  readonly by: string
  readonly undoes?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called once, with the file as it is. May throw to refuse the change. */
  decide(current: Content | undefined, path: string): FileResult
}

/** The settings of a workspace that every change needs. */
export interface ChangeRules {
  readonly root: WorkspaceRoot
  readonly limits: HistoryLimits
  readonly nowMs: () => number
  readonly nextId: () => string
}

/**
 * Makes one change. The workspace must be locked. The change is durably recorded in the history before the file is touched, so
 * that a change which is interrupted can be completed or dropped later.
 */
export async function changeFile(rules: ChangeRules, own: OwnFolder, change: FileWork): Promise<WriteOutcome> {
  const { root } = rules
  const shown = change.names.join("/")
  const found = await findTarget(root, change.names)
  // In a missing folder there is no file. The folder is created only if the change creates the file.
  const early = found ? undefined : change.decide(undefined, shown)
  if (early !== undefined && typeof early !== "object") return { path: shown }
  const target = found ?? (await findTarget(root, change.names, { create: true }))
  if (!target) throw changedError(shown)
  return closeAfter(target.folder, async () => {
    const current = await readTarget(root, target, change.signal)
    if (early && current) throw changedError(target.path)
    const decision = early ?? change.decide(current, target.path)
    const after = typeof decision === "object" ? decision.bytes : decision === "remove" ? undefined : current?.bytes
    const afterHash = after && contentHash(after)
    const outcome = { path: target.path, ...(afterHash === undefined ? {} : { hash: afterHash }) }
    if (afterHash === current?.hash) {
      // The change may have been made before, by a process that ended, or failed, before it was durable.
      if (decision !== "keep") await target.folder.sync()
      return outcome
    }
    if (after && after.length > root.maxFileBytes) throw tooLarge(target.path, after.length, root.maxFileBytes)
    return { ...outcome, record: await carryOut(rules, own, { change, target, current, after }) }
  })
}

interface Plan {
  readonly change: FileWork
  readonly target: Target
  readonly current: Content | undefined
  readonly after: Uint8Array | undefined
}

async function carryOut(rules: ChangeRules, own: OwnFolder, plan: Plan): Promise<WriteRecord> {
  const { root } = rules
  const { folder } = plan.target
  const record = await recordOf(rules, own, plan)
  const temporary = `${ownName}-${process.pid}-${rules.nextId()}.tmp`
  const entry = await beginEntry(root, own.history, { record, before: plan.current?.bytes, temporary })
  try {
    await replaceOrRemove(root, plan, temporary)
  } catch (error) {
    // The file was not touched, so the entry is dropped. If that fails, recovery does it before the next change.
    await removeIfThere(root.fs, folder.at(temporary))
      // Only the entry names the temporary file: it goes when that one is gone for good.
      .then(() => folder.sync())
      .then(() => root.fs.remove(own.history.at(entry.name)))
      .catch(() => {})
    throw error
  }
  await folder.sync()
  // The change is durable now. If marking it as done fails, recovery does it before the next change.
  await finishEntry(root, own.history, entry)
    .then(() => pruneHistory(root, own.history, rules.limits))
    .catch(() => {})
  return record
}

/** Puts new bytes in the place of the target, or removes it. The folder must be locked. After an error the temporary file may remain. */
export async function replaceOrRemove(
  root: WorkspaceRoot,
  { target, current, after }: Omit<Plan, "change">,
  temporary: string,
): Promise<void> {
  const { folder, name } = target
  if (after) {
    await folder.check()
    const mode = current?.stats.mode ?? 0o644
    await writeNewFile(root.fs, folder, { name: temporary, bytes: after, mode, like: current?.stats })
  }
  await checkUnchanged(root, target, current)
  if (after) await root.fs.rename(folder.at(temporary), folder.at(name))
  else await root.fs.remove(folder.at(name))
}

async function recordOf(rules: ChangeRules, own: OwnFolder, { change, target, current, after }: Plan): Promise<WriteRecord> {
  const last = (await historyFiles(rules.root, own.history)).at(-1)
  const decoder = new TextDecoder()
  return {
    id: String((last?.number ?? 0) + 1),
    path: target.path,
    by: change.by,
    atMs: rules.nowMs(),
    ...(current === undefined ? {} : { beforeHash: current.hash }),
    ...(after === undefined ? {} : { afterHash: contentHash(after) }),
    diff: lineDiff(decoder.decode(current?.bytes), decoder.decode(after)),
    ...(change.undoes === undefined ? {} : { undoes: change.undoes }),
  }
}

/** The file that a change is about: a name in a folder that is held open. There need not be such a file yet. */
export interface Target {
  readonly folder: OpenFolder
  readonly name: string
  readonly path: string
}

/** The content of a file before a change. */
export interface Content {
  readonly bytes: Uint8Array
  readonly hash: string
  readonly stats: FileStats
}

/**
 * Finds the file that a change to `names` is about. No link is followed, so that a name cannot stand for another file.
 * `undefined` when its folder is missing.
 */
export async function findTarget(
  root: WorkspaceRoot,
  names: readonly string[],
  options: { readonly create?: boolean } = {},
): Promise<Target | undefined> {
  const last = names.at(-1)
  if (last === undefined) throw fileError("file-kind", ".", "expected a file, found the workspace itself.")
  const folder = await walkFolders(root, names.slice(0, -1), options)
  if (!folder) return undefined
  return closeOnFailure(folder, async () => {
    const { name } = await spellingOf(root, folder, last)
    return { folder, name, path: [...folder.names, name].join("/") }
  })
}

/** Reads the target. It is opened for writing too, so that a read-only file is refused. `undefined` when there is no file. */
export async function readTarget(
  root: WorkspaceRoot,
  { folder, name, path }: Target,
  signal: AbortSignal | undefined,
): Promise<Content | undefined> {
  const found = await statIfThere(root.fs, folder.at(name))
  if (!found) return undefined
  checkKind(root, found, path)
  // Else a second name of a file outside could be half removed all the while.
  await waitForRemovals(root.fs, folder.at())
  const handle = await root.fs.open(folder.at(name), openFlags.readWrite)
  return closeAfter(handle, async () => {
    const opened = await handle.stat()
    checkKind(root, opened, path)
    if (!isSameFile(opened, found)) throw changedError(path)
    await folder.check()
    const { bytes, stats } = await readBytes(handle, path, { maxBytes: root.maxFileBytes, signal })
    return { bytes, hash: contentHash(bytes), stats }
  })
}

/** Throws `file-conflict` when the target is no longer the file that was read. */
async function checkUnchanged(root: WorkspaceRoot, { folder, name, path }: Target, current: Content | undefined): Promise<void> {
  await folder.check()
  const found = await statIfThere(root.fs, folder.at(name))
  const same =
    current && found ? isSameFile(found, current.stats) && found.modifiedNs === current.stats.modifiedNs : current === found
  if (!same) throw changedError(path)
}

/** The error about a file that was changed without the lock, for example by an editor. */
function changedError(path: string): Error {
  return fileError("file-conflict", path, "expected the file that was just read, found it changed by another program.", {
    hint: "Nothing was written. Read it again.",
  })
}

/** Throws `file-conflict` when the file is not the expected one. Both hashes are in the evidence. */
export function checkExpectation(path: string, expect: Expectation | undefined, found: string | undefined): void {
  const expected = expect === undefined ? found : expect === "absent" ? undefined : expect.hash
  if (expected === found) return
  const message =
    expected === undefined
      ? "expected no file, found one."
      : `expected the file as it was read, found ${found === undefined ? "none" : "it changed since"}.`
  throw fileError("file-conflict", path, message, {
    hint: "Nothing was written. Read it again.",
    evidence: { expectedHash: expected, foundHash: found },
  })
}
