import { tooLarge } from "./file-errors.ts"
import { removeIfThere } from "./file-system.ts"
import { writeNewFile } from "./folders.ts"
import { beginEntry, finishEntry, type HistoryFile, historyFiles, pruneHistory } from "./history.ts"
import { lineDiff } from "./line-diff.ts"
import type { OwnFolder } from "./own-folder.ts"
import { ownName } from "./paths.ts"
import { type Current, changedError, checkUnchanged, findTarget, readTarget, type Target } from "./target.ts"
import { hashOf } from "./text-encoding.ts"
import type { HistoryLimits, WriteOutcome, WriteRecord } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** The outcome of a change for a file: new bytes, removed, or kept as it is. */
export type Decision = { readonly bytes: Uint8Array } | "remove" | "keep"

/** A change to make. */
export interface Change {
  readonly names: readonly string[]
  readonly by: string
  readonly undoes?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called once, with the file as it is. May throw to refuse the change. */
  decide(current: Current | undefined, path: string): Decision
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
export async function changeFile(rules: ChangeRules, own: OwnFolder, change: Change): Promise<WriteOutcome> {
  const { root } = rules
  const shown = change.names.join("/")
  const found = await findTarget(root, change.names)
  // In a missing folder there is no file. The folder is created only if the change creates the file.
  const early = found ? undefined : change.decide(undefined, shown)
  if (early !== undefined && typeof early !== "object") return { path: shown }
  const target = found ?? (await findTarget(root, change.names, { create: true }))
  if (!target) throw changedError(shown)
  try {
    const current = await readTarget(root, target, change.signal)
    if (early && current) throw changedError(target.path)
    const decision = early ?? change.decide(current, target.path)
    const after = typeof decision === "object" ? decision.bytes : decision === "remove" ? undefined : current?.bytes
    const afterHash = after && hashOf(after)
    const outcome = { path: target.path, ...(afterHash === undefined ? {} : { hash: afterHash }) }
    if (afterHash === current?.hash) return outcome
    if (after && after.length > root.maxFileBytes) throw tooLarge(target.path, after.length, root.maxFileBytes)
    return { ...outcome, record: await carryOut(rules, own, { change, target, current, after }) }
  } finally {
    await target.folder.close()
  }
}

interface Plan {
  readonly change: Change
  readonly target: Target
  readonly current: Current | undefined
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
    await dropEntry(root, own, { entry, temporaryPath: folder.at(temporary) })
    throw error
  }
  await folder.sync()
  await completeEntry(rules, own, entry)
  return record
}

async function replaceOrRemove(root: WorkspaceRoot, { target, current, after }: Plan, temporary: string): Promise<void> {
  const { folder, name } = target
  if (after) {
    await folder.check()
    const mode = current?.stats.mode ?? 0o644
    await writeNewFile(root, folder, { name: temporary, bytes: after, mode, like: current?.stats })
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
    ...(after === undefined ? {} : { afterHash: hashOf(after) }),
    diff: lineDiff(decoder.decode(current?.bytes), decoder.decode(after)),
    ...(change.undoes === undefined ? {} : { undoes: change.undoes }),
  }
}

/** The file was not touched, so the entry is dropped. If that fails, recovery does it before the next change. */
async function dropEntry(
  root: WorkspaceRoot,
  own: OwnFolder,
  { entry, temporaryPath }: { readonly entry: HistoryFile; readonly temporaryPath: string },
): Promise<void> {
  try {
    await removeIfThere(root.fs, temporaryPath)
    await root.fs.remove(own.history.at(entry.name))
  } catch {
    // Left for recovery.
  }
}

/** The change is durable now. If marking it as done fails, recovery does it before the next change. */
async function completeEntry({ root, limits }: ChangeRules, own: OwnFolder, entry: HistoryFile): Promise<void> {
  try {
    await finishEntry(root, own.history, entry)
    await pruneHistory(root, own.history, limits)
  } catch {
    // Left for recovery.
  }
}
