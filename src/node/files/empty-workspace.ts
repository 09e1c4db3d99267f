import { fileError } from "../workspace/file-errors.ts"
import { canonicalPath } from "../workspace/same-path.ts"
import type { FileWorkspace } from "./file-workspace.ts"

/** A workspace that holds nothing and takes nothing, for tools that work on mounts alone. */
export const emptyWorkspace: FileWorkspace = {
  read: async (path) => {
    throw fileError("file-missing", path, "expected a file, found none.")
  },
  stat: async () => undefined,
  list: async () => ({ entries: [], truncated: false }),
  search: async () => ({ matches: [], truncated: false, skipped: [] }),
  resolve: async (path) => canonicalPath(path),
  write: async (path) => {
    throw fileError("file", path, "nothing can be written here.")
  },
}
