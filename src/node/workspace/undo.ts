import { PromptStrataError } from "../../core/errors.ts"
import { type ChangeRules, changeFile } from "./change-file.ts"
import { fileError } from "./file-errors.ts"
import { type HistoryEntry, historyFiles, readEntry } from "./history.ts"
import { type OwnFolder, openOwnFolder } from "./own-folder.ts"
import { samePath, splitPath } from "./paths.ts"
import type { ChangeOptions, WriteOutcome, WriteRecord } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** Which change is meant: the last, the last of a path, or one by its id. */
export interface UndoOptions extends ChangeOptions {
  readonly path?: string | undefined
  readonly id?: string | undefined
}

/** The records of the history, newest first. Nothing is made where there is none yet. */
export async function readHistory(
  root: WorkspaceRoot,
  { path, limit = Number.POSITIVE_INFINITY }: { readonly path?: string; readonly limit?: number },
): Promise<readonly WriteRecord[]> {
  const own = await openOwnFolder(root, { create: false })
  if (!own) return []
  try {
    const records: WriteRecord[] = []
    for await (const { record } of newestFirst(root, own)) {
      if (records.length >= limit) break
      if (path === undefined || samePath(record.path, path)) records.push(record)
    }
    return records
  } finally {
    await own.close()
  }
}

/** Brings back what a file held before a change, as a change of its own; the workspace must be locked. */
export async function undoChange(
  rules: ChangeRules,
  own: OwnFolder,
  { path, id, by, signal }: UndoOptions,
): Promise<WriteOutcome> {
  let entry: HistoryEntry | undefined
  const later = new Map<string, WriteRecord>()
  for await (const found of newestFirst(rules.root, own)) {
    const { record } = found
    if (!later.has(record.path)) later.set(record.path, record)
    if (id !== undefined ? record.id !== id : path !== undefined && !samePath(record.path, path)) continue
    entry = found
    break
  }
  if (!entry) throw nothingToUndo(path, id)
  const { record, before } = entry
  const last = later.get(record.path) ?? record
  return changeFile(rules, own, {
    names: splitPath(record.path, rules.root.hidden),
    by,
    undoes: record.id,
    signal,
    decide: (current, shown) => {
      if (current?.hash !== last.afterHash) throw changedSince(shown, last.afterHash, current?.hash)
      return before ? { bytes: before } : "remove"
    },
  })
}

async function* newestFirst(root: WorkspaceRoot, own: OwnFolder): AsyncGenerator<HistoryEntry> {
  for (const file of (await historyFiles(root, own.history)).toReversed()) {
    if (file.pending) continue
    const entry = await readEntry(root, own.history, file)
    if (entry) yield entry
  }
}

function changedSince(path: string, expected: string | undefined, found: string | undefined): PromptStrataError {
  return fileError("file-conflict", path, "expected the file as its last recorded change left it, found it changed since.", {
    hint: "Nothing was undone, as that would overwrite what somebody else wrote.",
    evidence: { ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }) },
  })
}

function nothingToUndo(path: string | undefined, id: string | undefined): PromptStrataError {
  const which = id === undefined ? (path === undefined ? "a change" : `a change of ${path}`) : `the change ${id}`
  return new PromptStrataError("file-missing", `Expected ${which} in the history, found none.`, {
    hint: "Only the newest changes are kept.",
    evidence: { path: path ?? ".", ...(id === undefined ? {} : { id }) },
  })
}
