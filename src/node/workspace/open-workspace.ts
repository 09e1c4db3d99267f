import { defaultPorts } from "../../agent/default-ports.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { type Change, type ChangeRules, changeFile, type Decision } from "./change-file.ts"
import { fileError, fileFailure } from "./file-errors.ts"
import { collect, resolvePath, statPath, walkFiles } from "./list-files.ts"
import { nodeFileSystem } from "./node-file-system.ts"
import type { OwnFolder } from "./own-folder.ts"
import { splitPath } from "./paths.ts"
import { readWorkspaceBytes, readWorkspaceFile } from "./read-file.ts"
import { locked, sweep } from "./recovery.ts"
import { searchFiles } from "./search-files.ts"
import type { Current } from "./target.ts"
import { decodeText, encodeText } from "./text-encoding.ts"
import { readHistory, undoChange } from "./undo.ts"
import type { ChangeOptions, Expectation, Workspace, WorkspaceFile, WorkspaceOptions } from "./workspace.ts"
import { findRoot, type WorkspaceRoot } from "./workspace-root.ts"

const defaultDepth = 16
const defaultLimit = 1_000

/**
 * Opens a folder, which must exist, as a {@link Workspace}, and clears away what a process left there that was killed while it
 * wrote. Nothing is made before the first change; there is nothing to close.
 */
export async function openWorkspace(folder: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const root = await rootOf(folder, options)
  const rules = rulesOf(root, options)
  const withLock = <T>(signal: AbortSignal | undefined, task: (own: OwnFolder) => Promise<T>) => {
    const { timers = defaultPorts.timers, random = defaultPorts.random, lockTimeoutMs: timeoutMs = 30_000 } = options
    return locked(root, { timers, random, timeoutMs, signal, nextId: rules.nextId }, task)
  }
  await sweep(root, (task) => withLock(undefined, task))
  return { root: root.path, judgedBy: root.descriptors ? "opened" : "named", ...readers(root), ...changers(rules, withLock) }
}

async function rootOf(folder: string, options: WorkspaceOptions): Promise<WorkspaceRoot> {
  const { fs = nodeFileSystem, maxFileBytes = 1024 * 1024, hardLinks = "refuse", hidden = "refuse", names = [] } = options
  if (!(Number.isInteger(maxFileBytes) && maxFileBytes > 0)) {
    throw new PromptStrataError("usage", `maxFileBytes: expected a whole number above 0, found ${maxFileBytes}.`)
  }
  return { ...(await findRoot(folder, fs)), hidden, hardLinks, maxFileBytes, names }
}

function rulesOf(root: WorkspaceRoot, options: WorkspaceOptions): ChangeRules {
  const { clock = defaultPorts.clock, ids = defaultPorts.ids, history = {} } = options
  return {
    root,
    limits: { maxEntries: 100, maxBytes: 16 * 1024 * 1024, ...history },
    nowMs: () => clock.nowMs(),
    // Only what every system takes in a name; uniqueness is the generator's.
    nextId: () => ids.next("write").replace(/[^A-Za-z0-9_-]/g, "_"),
  }
}

type Readers = Pick<Workspace, "read" | "readBytes" | "stat" | "resolve" | "list" | "search" | "history">

function readers(root: WorkspaceRoot): Readers {
  return {
    read: (path, { signal } = {}) => about("read", path, () => readWorkspaceFile(root, path, { signal })),
    readBytes: (path, limits) => about("read", path, () => readWorkspaceBytes(root, path, limits)),
    stat: (path) => about("stat", path, () => statPath(root, path)),
    resolve: (path) => about("resolve", path, () => resolvePath(root, path)),
    list: (path = ".", { depth = 1, limit = defaultLimit, signal } = {}) =>
      about("list", path, () => collect(walkFiles(root, path, { depth, signal }), limit)),
    search: (text, { path = ".", ignoreCase = false, limit = 100, signal } = {}) =>
      about("search", path, () => searchFiles(root, { text, path, ignoreCase, limit, signal, depth: defaultDepth })),
    history: (options = {}) => about("history", options.path ?? ".", () => readHistory(root, options)),
  }
}

type WithLock = <T>(signal: AbortSignal | undefined, task: (own: OwnFolder) => Promise<T>) => Promise<T>

function changers(rules: ChangeRules, withLock: WithLock): Pick<Workspace, "write" | "update" | "remove" | "undo"> {
  const { root } = rules
  const change = (operation: string, path: string, { by, signal }: ChangeOptions, decide: () => Change["decide"]) =>
    about(operation, path, async () => {
      const plan = { names: splitPath(path, root.hidden), by, signal, decide: decide() }
      return withLock(signal, (own) => changeFile(rules, own, plan))
    })
  const expecting = (expect: Expectation | undefined, decision: Decision): Change["decide"] => {
    return (current, path) => {
      checkExpectation(path, expect, current?.hash)
      return decision
    }
  }
  return {
    write: (path, text, { expect, ...options }) =>
      change("write", path, options, () => expecting(expect, { bytes: encodeText(text, path) })),
    update: (path, next, options) => change("update", path, options, () => (current, shown) => updated(current, shown, next)),
    remove: (path, { expect, ...options }) => change("remove", path, options, () => expecting(expect, "remove")),
    undo: (options) =>
      about("undo", options.path ?? ".", () => withLock(options.signal, (own) => undoChange(rules, own, options))),
  }
}

function updated(
  current: Current | undefined,
  path: string,
  change: (current: WorkspaceFile | undefined) => string | undefined,
): Decision {
  const next: unknown = change(current && fileOf(current, path))
  if (next === undefined) return "keep"
  if (typeof next === "string") return { bytes: encodeText(next, path) }
  // What it waits for may fail later, where nobody would hear of it.
  if (next instanceof Promise) next.catch(() => {})
  throw new PromptStrataError("usage", `${path}: expected the changed text or undefined, found ${typeof next}.`, {
    hint: "The change must be synchronous: the workspace is locked while it runs.",
    evidence: { path },
  })
}

function fileOf({ bytes, hash, stats }: Current, path: string): WorkspaceFile {
  return { path, text: decodeText(bytes, path), hash, sizeBytes: bytes.length, mode: stats.mode }
}

async function about<T>(operation: string, path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (cause) {
    throw fileFailure(operation, path, cause)
  }
}

/** Throws `file-conflict` when a file's hash is not the expected one; no hash stands for no file. */
function checkExpectation(path: string, expected: Expectation | undefined, found: string | undefined): void {
  if (expected === undefined) return
  const hash = expected === "absent" ? undefined : expected.hash
  if (hash !== found) throw conflict(path, hash, found)
}

/** Hashes are in its evidence. */
function conflict(path: string, expected: string | undefined, found: string | undefined): Error {
  const message =
    expected === undefined
      ? "expected no file, found one."
      : found === undefined
        ? "expected the file as it was read, found none."
        : "expected the file as it was read, found it changed since."
  return fileError("file-conflict", path, message, {
    hint: "Nothing was written. Read it again.",
    evidence: { ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }) },
  })
}
