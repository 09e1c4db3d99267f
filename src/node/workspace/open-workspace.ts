import { checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { hostPorts } from "../../core/ports.ts"
import { type ChangeRules, type Content, changeFile, checkExpectation, type FileResult, type FileWork } from "./change-file.ts"
import { type HistoryEntry, historyFiles, readEntry } from "./change-history.ts"
import { fileError, ignoring, withFileErrors } from "./file-errors.ts"
import { closeAfter, nodeFileSystem, openFlags, removeIfThere, statIfThere } from "./file-system.ts"
import { findRoot, type WorkspaceRoot, writeNewFile } from "./folders.ts"
import { collect, resolvePath, searchFiles, statPath, walkFiles } from "./list-and-search.ts"
import { removeLeftovers, withLock } from "./lock.ts"
import { type OwnFolder, openOwnFolder } from "./own-folder.ts"
import { ownName, samePath, splitPath } from "./paths.ts"
import { readBytes, readWorkspaceBytes, readWorkspaceFile } from "./read-file.ts"
import { contentHash, decodeText, toBytes } from "./text-encoding.ts"
import type {
  Expectation,
  FileWorkspace,
  FileWorkspaceOptions,
  WorkspaceFile,
  WriteOptions,
  WriteOutcome,
  WriteRecord,
} from "./workspace.ts"

const searchDepth = 16

/** Throws `usage` for an unknown option of `of`. */
export function checkWorkspaceOptions(of: string, options: FileWorkspaceOptions): void {
  checkOptions(of, options, "clock ids timers random fs maxFileBytes hardLinks hidden names history lockTimeoutMs")
  checkOptions(`history of ${of}`, options.history ?? {}, "maxEntries maxBytes")
}

/**
 * Opens a folder, which must exist, as a {@link FileWorkspace}. What a process left behind that was killed while it wrote is cleaned
 * up. Nothing is created before the first change, and nothing needs to be closed. Throws errors whose code begins with `file`
 * when the folder cannot be used.
 */
export async function openFolder(folder: string, options: FileWorkspaceOptions = {}): Promise<FileWorkspace> {
  checkType("the folder of openFolder", folder, "string")
  checkWorkspaceOptions("openFolder", options)
  return (await openLockable(folder, options)).workspace
}

/** A workspace that is locked: nobody else, in this process or another, changes it until the task ends. */
export type LockedWorkspace = ReturnType<typeof lockedWorkspace>

/** {@link openFolder}, with its lock. */
export async function openLockable(folder: string, options: FileWorkspaceOptions) {
  const root = await rootOf(folder, options)
  const rules = rulesOf(root, options)
  const { timers = hostPorts.timers, random = hostPorts.random, lockTimeoutMs: timeoutMs = 30_000 } = options
  const lock: Lock = (signal, task) => withLock(root, { timers, random, timeoutMs, signal, nextId: rules.nextId }, task)
  await removeLeftovers(root, (task) => lock(undefined, task))
  return {
    workspace: workspaceOf(rules, lock),
    /** Runs a task while the workspace is locked. The task must use no method of `workspace` that changes something: it would wait for itself. */
    whileLocked: <T>(signal: AbortSignal | undefined, task: (locked: LockedWorkspace) => Promise<T>) =>
      withFileErrors("update", folder, () => lock(signal, (own) => task(lockedWorkspace(rules, own)))),
  }
}

type Lock = <T>(signal: AbortSignal | undefined, task: (own: OwnFolder) => Promise<T>) => Promise<T>

async function rootOf(folder: string, options: FileWorkspaceOptions): Promise<WorkspaceRoot> {
  const { fs = nodeFileSystem, maxFileBytes = 1024 * 1024, hardLinks = "refuse", hidden = "refuse", names = [] } = options
  if (!(Number.isInteger(maxFileBytes) && maxFileBytes > 0))
    throw new PromptStrataError("usage", `maxFileBytes: expected a whole number above 0, found ${maxFileBytes}.`)
  return { ...(await findRoot(folder, fs)), hidden, hardLinks, maxFileBytes, names }
}

function rulesOf(root: WorkspaceRoot, options: FileWorkspaceOptions): ChangeRules {
  const { clock = hostPorts.clock, ids = hostPorts.ids, history = {} } = options
  return {
    root,
    limits: { maxEntries: 100, maxBytes: 16 * 1024 * 1024, ...history },
    nowMs: () => clock.nowMs(),
    // Only characters that every system allows in a name. The generator makes ids unique.
    nextId: () => ids.next("write").replace(/[^A-Za-z0-9_-]/g, "_"),
  }
}

function workspaceOf(rules: ChangeRules, lock: Lock): FileWorkspace {
  const { root } = rules
  const change = (operation: string, path: string, { by, signal }: WriteOptions, decide: () => FileWork["decide"]) =>
    withFileErrors(operation, path, async () => {
      const plan = { names: splitPath(path, root.hidden), by, signal, decide: decide() }
      return lock(signal, (own) => changeFile(rules, own, plan))
    })
  return {
    root: root.path,
    pathCheck: root.descriptors ? "opened" : "named",
    read: (path, { signal } = {}) => withFileErrors("read", path, () => readWorkspaceFile(root, path, signal)),
    readBytes: (path, limits) => withFileErrors("read", path, () => readWorkspaceBytes(root, path, limits)),
    stat: (path) => withFileErrors("stat", path, () => statPath(root, path)),
    resolve: (path) => withFileErrors("resolve", path, () => resolvePath(root, path)),
    list: (path = ".", { depth = 1, limit = 1_000, signal } = {}) =>
      withFileErrors("list", path, () => collect(walkFiles(root, path, { depth, signal }), limit)),
    search: (text, { path = ".", ignoreCase = false, limit = 100, signal } = {}) =>
      withFileErrors("search", path, () => searchFiles(root, { text, path, ignoreCase, limit, signal, depth: searchDepth })),
    history: (options = {}) => withFileErrors("history", options.path ?? ".", () => readHistory(root, options)),
    write: (path, text, { expect, ...options }) =>
      change("write", path, options, () => expecting(expect, { bytes: toBytes(text, path) })),
    update: (path, next, options) => change("update", path, options, () => (current, shown) => updated(current, shown, next)),
    remove: (path, { expect, ...options }) => change("remove", path, options, () => expecting(expect, "remove")),
    undo: (options) =>
      withFileErrors("undo", options.path ?? ".", () => lock(options.signal, (own) => undoChange(rules, own, options))),
  }
}

/** Makes a decision about a file unless it is another one than was expected. */
function expecting(expect: Expectation | undefined, decision: FileResult): FileWork["decide"] {
  return (current, path) => {
    checkExpectation(path, expect, current?.hash)
    return decision
  }
}

function updated(
  current: Content | undefined,
  path: string,
  change: (current: WorkspaceFile | undefined) => string | undefined,
): FileResult {
  const file = current && {
    path,
    text: decodeText(current.bytes, path),
    hash: current.hash,
    sizeBytes: current.bytes.length,
    mode: current.stats.mode,
  }
  const next: unknown = change(file)
  if (next === undefined) return "keep"
  if (typeof next === "string") return { bytes: toBytes(next, path) }
  // The promise may reject later. Without a handler that would end the process.
  if (next instanceof Promise) next.catch(() => {})
  throw new PromptStrataError("usage", `${path}: expected the changed text or undefined, found ${typeof next}.`, {
    hint: "The change must be synchronous: the workspace is locked while it runs.",
    evidence: { path },
  })
}

const maxOwnBytes = 64 * 1024 * 1024

/** The workspace of {@link OwnFolder}, which must be locked. */
function lockedWorkspace(rules: ChangeRules, own: OwnFolder) {
  const { root } = rules
  return {
    update: workspaceOf(rules, (_, task) => task(own)).update,
    /** The content of a file in the workspace's own folder, which no tool can reach; undefined if there is none. */
    async readOwn(name: string): Promise<string | undefined> {
      const handle = await root.fs.open(own.folder.at(name), openFlags.read).catch(ignoring("ENOENT"))
      if (handle === undefined) return undefined
      const limits = { maxBytes: maxOwnBytes }
      const { bytes } = await closeAfter(handle, () => readBytes(handle, `${ownName}/${name}`, limits))
      return new TextDecoder().decode(bytes)
    },
    /** Replaces such a file in one step. It is durable then. */
    async writeOwn(name: string, text: string): Promise<void> {
      const temporary = own.folder.at(`${name}.tmp`)
      if (await statIfThere(root.fs, temporary)) await removeIfThere(root.fs, temporary)
      await writeNewFile(root.fs, own.folder, { name: `${name}.tmp`, bytes: new TextEncoder().encode(text), mode: 0o600 })
      await root.fs.rename(temporary, own.folder.at(name))
      await own.folder.sync()
    },
    /** Deletes all kept former contents of a file. Its changes up to now cannot be undone any more. */
    async dropHistory(path: string): Promise<void> {
      for (const file of await historyFiles(root, own.history)) {
        const entry = await readEntry(root, own.history, file)
        if (entry === undefined || samePath(entry.record.path, path)) await removeIfThere(root.fs, own.history.at(file.name))
      }
      await own.history.sync()
    },
  }
}

/** The records of the history, newest first. Empty when there is no history yet; none is created. */
async function readHistory(
  root: WorkspaceRoot,
  { path, limit = Number.POSITIVE_INFINITY }: { readonly path?: string; readonly limit?: number },
): Promise<readonly WriteRecord[]> {
  const own = await openOwnFolder(root, { create: false })
  if (!own) return []
  return closeAfter(own, async () => {
    const records: WriteRecord[] = []
    for await (const { record } of newestFirst(root, own)) {
      if (records.length >= limit) break
      if (path === undefined || samePath(record.path, path)) records.push(record)
    }
    return records
  })
}

/** Brings back what a file held before a change, as a change of its own. The workspace must be locked. */
async function undoChange(
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
      if (before && contentHash(before) !== record.beforeHash) {
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
