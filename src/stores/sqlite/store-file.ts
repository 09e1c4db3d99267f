import { closeSync, openSync } from "node:fs"
import { dirname, join } from "node:path"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { makeFolder } from "./make-folder.ts"

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
