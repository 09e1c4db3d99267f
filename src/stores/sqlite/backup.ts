import { closeSync, fsyncSync, openSync, rmSync } from "node:fs"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { OpenSqlite } from "./sqlite-database.ts"

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
