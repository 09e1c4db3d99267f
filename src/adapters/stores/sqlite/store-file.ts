import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { OpenSqlite } from "./sqlite-database.ts"

/** The path of a folder's store. It lies among promptstrata's own files, which no file tool reads or writes. */
export function storeFile(folder: string): string {
  return join(folder, ".promptstrata", "store.sqlite")
}

/** Makes the file if it is missing, for its owner alone: SQLite's other files take their rights from it. */
export function makeStoreFile(file: string): void {
  try {
    makeStoreFolder(dirname(file))
    closeSync(openSync(file, "a", 0o600))
  } catch (cause) {
    const message = `The store's file ${file} could not be made: ${messageOf(cause)}.`
    const hint = "Name a folder that this program may write to."
    throw new PromptStrataError("store", message, { cause, hint, evidence: { file } })
  }
}

/**
 * Makes a folder and its missing parents, for their owner alone. Throws the system's error where one cannot be made. Node's own
 * `recursive` never ends on file systems such as /proc, which report a missing parent although the parent is there.
 */
export function makeStoreFolder(folder: string): void {
  const missing: string[] = []
  for (let path = resolve(folder); !isThere(path); path = dirname(path)) missing.push(path)
  for (const path of missing.reverse()) {
    try {
      mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      // Another process may have made it meanwhile.
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
    }
  }
}

/** A path's root is always there. */
function isThere(path: string): boolean {
  return dirname(path) === path || statSync(path, { throwIfNoEntry: false }) !== undefined
}

type BareFile = Pick<OpenSqlite, "exclusively">

/**
 * Writes a copy of the store's current state to a new file, for its owner alone. The copy is on the disk once this settles. Throws
 * `store` when the file exists already.
 */
export async function backupTo({ exclusively }: BareFile, path: string): Promise<void> {
  // SQLite fills an empty file. Making it first sets its rights and refuses a file that exists.
  makeBackupFile(path)
  try {
    await exclusively((database) => database.prepare("vacuum into ?").run(path))
    const descriptor = openSync(path, "r+")
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

function makeBackupFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch (cause) {
    const message = `The backup ${path} could not be made: ${messageOf(cause)}.`
    const hint = "Name a file that does not exist yet, in a folder that this program may write to."
    throw new PromptStrataError("store", message, { cause, hint, evidence: { path } })
  }
}

const restore = "Go back to a backup, or export what can be read and import it into a new store."

/** Faults that SQLite finds in the file, one line each. */
export async function checkFile({ exclusively }: BareFile): Promise<readonly string[]> {
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
 * Removes all remains of deleted rows from the file and its log. Every page is written anew, because a page can hold remains of rows
 * that were once moved through it.
 */
export async function erase({ exclusively }: BareFile): Promise<void> {
  await exclusively((database) => database.exec("vacuum"))
  await exclusively((database) => {
    const row = database.prepare("pragma wal_checkpoint(truncate)").get()
    // A reader still uses the log. The error counts as a busy file, so this is tried again.
    if (row?.busy === 1) throw Object.assign(new Error("the log is being read"), { errcode: 5 })
  })
}
