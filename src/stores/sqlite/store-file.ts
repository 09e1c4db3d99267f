import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { OpenSqlite } from "./sqlite-database.ts"

/** Where the store of a folder lies: among promptstrata's own files, which no file tool reads or writes. */
export function storeFile(folder: string): string {
  return join(folder, ".promptstrata", "store.sqlite")
}

/** Makes the file where there is none, for its owner alone: SQLite's other files take their rights from it. */
export function makeStoreFile(file: string): void {
  try {
    makeFolder(dirname(file))
    closeSync(openSync(file, "a", 0o600))
  } catch (cause) {
    throw new PromptStrataError("store", `The store's file ${file} could not be made: ${messageOf(cause)}.`, {
      cause,
      hint: "Name a folder that this program may write to.",
      evidence: { file },
    })
  }
}

/**
 * Makes a folder and those above it that are missing, for their owner alone. Throws the system's error where one cannot be made.
 * Node's own `recursive` never ends where making a folder says that the one above it is missing although it is there, as in /proc.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let path = resolve(folder); !isThere(path); path = dirname(path)) missing.push(path)
  for (const path of missing.reverse()) makeOne(path)
}

/** A path's root is always there. */
function isThere(path: string): boolean {
  return dirname(path) === path || statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Another process may have made it meanwhile. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** Writes a copy of this moment to a new file for its owner alone, on the disk once it settles. Throws `store` where there is one already. */
export async function backupTo({ exclusively }: Pick<OpenSqlite, "exclusively">, path: string): Promise<void> {
  // SQLite fills an empty file; making it first gives it its rights and refuses one that is there.
  makeFile(path)
  try {
    await exclusively((database) => database.prepare("vacuum into ?").run(path))
    sync(path)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch (cause) {
    throw new PromptStrataError("store", `The backup ${path} could not be made: ${messageOf(cause)}.`, {
      cause,
      hint: "Name a file that does not exist yet, in a folder that this program may write to.",
      evidence: { path },
    })
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r+")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const restore = "Go back to a backup, or export what can be read and import it into a new store."

/** What SQLite finds wrong with the file, one line each. */
export async function checkFile({ exclusively }: Pick<OpenSqlite, "exclusively">): Promise<readonly string[]> {
  return exclusively((database) => {
    const found = database.prepare("pragma integrity_check").all()
    const faults = found.map(({ integrity_check }) => String(integrity_check)).filter((fault) => fault !== "ok")
    const broken = database.prepare("pragma foreign_key_check").all()
    const byTable = Map.groupBy(broken, ({ table, parent }) => `${String(table)} without ${String(parent)}`)
    return [
      ...faults.map((fault) => `file: ${fault}. ${restore}`),
      ...[...byTable].map(([what, rows]) => `file: ${rows.length} rows of ${what}. ${restore}`),
    ]
  })
}

/**
 * Leaves nothing of deleted rows in the file or beside it: every page is written anew, for pages keep remains of rows that once
 * moved through them, and the log is emptied.
 */
export async function erase({ exclusively }: Pick<OpenSqlite, "exclusively">): Promise<void> {
  await exclusively((database) => database.exec("vacuum"))
  await exclusively((database) => {
    const row = database.prepare("pragma wal_checkpoint(truncate)").get()
    // Somebody else still reads from the log: to be tried again, as for any other lock.
    if (row?.busy === 1) throw Object.assign(new Error("the log is being read"), { errcode: 5 })
  })
}
