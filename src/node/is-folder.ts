import { statSync } from "node:fs"
import { fileExists } from "./file-log.ts"

/** True when a folder is there to be read. */
export function isFolder(path: string): boolean {
  return fileExists(path) && statSync(path).isDirectory()
}
