import { PromptStrataError } from "../../core/errors.ts"
import { type ChangeRules, changeFile, checkExpectation } from "./change-file.ts"
import { type HistoryEntry, historyFiles, readEntry } from "./change-history.ts"
import { fileError } from "./file-errors.ts"
import type { WorkspaceRoot } from "./folders.ts"
import { type OwnFolder, openOwnFolder } from "./own-folder.ts"
import { samePath, splitPath } from "./paths.ts"
import { hashOf } from "./text-encoding.ts"
import type { FileWorkspace, WriteOutcome, WriteRecord } from "./workspace.ts"

/** The records of the history, newest first. Empty when there is no history yet; none is created. */
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

/** Brings back what a file held before a change, as a change of its own. The workspace must be locked. */
export async function undoChange(
  rules: ChangeRules,
  own: OwnFolder,
  { path, id, by, signal, expect }: Parameters<FileWorkspace["undo"]>[0],
): Promise<WriteOutcome> {
  let entry: HistoryEntry | undefined
  const lastOf = new Map<string, WriteRecord>()
  for await (const found of newestFirst(rules.root, own)) {
    const { record } = found
    if (!lastOf.has(record.path)) lastOf.set(record.path, record)
    const isMeant = id !== undefined ? record.id === id : path === undefined || samePath(record.path, path)
    if (!isMeant) continue
    entry = found
    break
  }
  if (!entry) throw nothingToUndo(path, id)
  const { record, before } = entry
  const { afterHash } = lastOf.get(record.path) ?? record
  return changeFile(rules, own, {
    names: splitPath(record.path, rules.root.hidden),
    by,
    undoes: record.id,
    signal,
    decide: (current, shown) => {
      checkExpectation(shown, expect, current?.hash)
      if (before && hashOf(before) !== record.beforeHash) {
        const message = `expected what change ${record.id} found there, found other bytes in the history: they are damaged.`
        throw fileError("file", shown, message, { hint: "Nothing was undone. Undo another change by its id." })
      }
      if (current?.hash === afterHash) return before ? { bytes: before } : "remove"
      throw fileError("file-conflict", shown, "expected the file as its last recorded change left it, found it changed since.", {
        hint: "Nothing was undone, as that would overwrite the later change.",
        evidence: { expectedHash: afterHash, foundHash: current?.hash },
      })
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

function nothingToUndo(path: string | undefined, id: string | undefined): PromptStrataError {
  const which = id === undefined ? (path === undefined ? "a change" : `a change of ${path}`) : `the change ${id}`
  return new PromptStrataError("file-missing", `Expected ${which} in the history, found none.`, {
    hint: "Only the newest changes are kept.",
    evidence: { path: path ?? ".", id },
  })
}
