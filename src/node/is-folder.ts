import { existsSync, statSync } from "node:fs"

/** True when a folder is there to be read. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
