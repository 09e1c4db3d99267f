import { removeIfThere } from "./file-system.ts"
import { writeNewFile } from "./folders.ts"
import { beginEntry, finishEntry, type HistoryFile, historyFiles, pruneHistory } from "./history.ts"
import { lineDiff } from "./line-diff.ts"
import type { OwnFolder } from "./own-folder.ts"
import { ownName } from "./paths.ts"
import { tooLarge } from "./read-file.ts"
import { type Current, changed, checkUnchanged, findTarget, readTarget, type Target } from "./target.ts"
import { hashOf } from "./text-encoding.ts"
import type { HistoryLimits, WriteOutcome, WriteRecord } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** What becomes of a file: these bytes, nothing at all, or what it is. */
export type Decision = { readonly bytes: Uint8Array } | "remove" | "keep"

/** One change, as its maker sees it. */
export interface Change {
  readonly names: readonly string[]
  readonly by: string
  readonly undoes?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called once, with what is there; may throw to refuse. */
  decide(current: Current | undefined, path: string): Decision
}

/** What every change of a workspace goes by. */
export interface ChangeRules {
  readonly root: WorkspaceRoot
  readonly limits: HistoryLimits
  readonly nowMs: () => number
  readonly nextId: () => string
}

/** Makes one change; the workspace must be locked. Its intent is in the history, lasting, before the file is touched. */
export async function changeFile(rules: ChangeRules, own: OwnFolder, change: Change): Promise<WriteOutcome> {
  const { root } = rules
  const shown = change.names.join("/")
  const found = await findTarget(root, change.names)
  // Folders are made only for a file that will be.
  const early = found ? undefined : change.decide(undefined, shown)
  if (early !== undefined && typeof early !== "object") return { path: shown }
  const target = found ?? (await findTarget(root, change.names, { create: true }))
  if (!target) throw changed(shown)
  try {
    const current = await readTarget(root, target, { maxBytes: root.maxFileBytes, signal: change.signal })
    if (early && current) throw changed(target.path)
    const decision = early ?? change.decide(current, target.path)
    const after = typeof decision === "object" ? decision.bytes : decision === "remove" ? undefined : current?.bytes
    const afterHash = after && hashOf(after)
    const hash = afterHash === undefined ? {} : { hash: afterHash }
    if (afterHash === current?.hash) return { path: target.path, ...hash }
    if (after && after.length > root.maxFileBytes) throw tooLarge(target.path, after.length, root.maxFileBytes)
    const record = await carryOut(rules, own, { change, target, current, after })
    return { path: target.path, ...hash, record }
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
  const { target, current, after } = plan
  const record = await recordOf(rules, own, plan)
  const temporary = `${ownName}-${process.pid}-${rules.nextId()}.tmp`
  const entry = await beginEntry(root, own.history, { record, before: current?.bytes, temporary })
  try {
    if (after) {
      const path = target.folder.at(temporary)
      await target.folder.check()
      await writeNewFile(root, {
        folder: target.folder,
        path,
        bytes: after,
        mode: current?.stats.mode ?? 0o644,
        like: current?.stats,
      })
      await checkUnchanged(root, target, current)
      await root.fs.rename(path, target.folder.at(target.name))
    } else {
      await checkUnchanged(root, target, current)
      await root.fs.remove(target.folder.at(target.name))
    }
  } catch (error) {
    await takeBack(rules, own, { entry, temporary: target.folder.at(temporary) })
    throw error
  }
  await target.folder.sync()
  await settle(rules, own, entry)
  return record
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

/** The file was not touched. What cannot be cleared away now stays noted, and is cleared before the next change. */
async function takeBack(
  { root }: ChangeRules,
  own: OwnFolder,
  { entry, temporary }: { readonly entry: HistoryFile; readonly temporary: string },
): Promise<void> {
  try {
    await removeIfThere(root, temporary)
    await root.fs.remove(own.history.at(entry.name))
  } catch {
    // Left for recovery.
  }
}

/** The change is made and lasts; what fails from here on is mended before the next one. */
async function settle({ root, limits }: ChangeRules, own: OwnFolder, entry: HistoryFile): Promise<void> {
  try {
    await finishEntry(root, own.history, entry)
    await pruneHistory(root, own.history, limits)
  } catch {
    // Left for recovery.
  }
}
