import { lateMethods, onDemand } from "../../core/late.ts"
import { fileError, ignoring, withFileErrors } from "../workspace/file-errors.ts"
import { nodeFileSystem } from "../workspace/file-system.ts"
import { makeFolders } from "../workspace/folders.ts"
import { openFolder } from "../workspace/open-workspace.ts"
import { canonicalPath } from "../workspace/paths.ts"
import type { FileWorkspace, FileWorkspaceOptions } from "../workspace/workspace.ts"
import type { WritableWorkspace } from "./file-tool-options.ts"

/** A workspace that is opened at its first use. Its folder is created by the first write; until then it is empty. */
export function workspaceOnDemand(
  folder: string,
  options: FileWorkspaceOptions = {},
): WritableWorkspace & Pick<FileWorkspace, "readBytes" | "history" | "undo"> {
  const open = onDemand(() => openFolder(folder, options))
  const empty = emptyWorkspace(options.names)
  const openOrEmpty = async (): Promise<WritableWorkspace> => (await open().catch(ignoring("file-missing"))) ?? empty
  return {
    ...lateMethods(open, "read readBytes undo"),
    ...lateMethods(openOrEmpty, "stat list search resolve"),
    history: async (historyOptions) => (await open().catch(ignoring("file-missing")))?.history(historyOptions) ?? [],
    async write(path, text, writeOptions) {
      await withFileErrors("write", folder, () => makeFolders(options.fs ?? nodeFileSystem, folder))
      return (await open()).write(path, text, writeOptions)
    },
  }
}

/** A workspace without files that refuses every write. `names` are exact spellings, as in `FileWorkspaceOptions`. */
export function emptyWorkspace(names?: readonly string[]): WritableWorkspace {
  return {
    read: async (path) => {
      throw fileError("file-missing", path, "expected a file, found none.")
    },
    stat: async () => undefined,
    list: async () => ({ entries: [], truncated: false }),
    search: async () => ({ matches: [], truncated: false, skipped: [] }),
    resolve: async (path) => canonicalPath(path, names),
    write: async (path) => {
      throw fileError("file", path, "expected a workspace to write to, found none.", {
        hint: "Open one with openFolder and give it to the agent.",
      })
    },
  }
}
