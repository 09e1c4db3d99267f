import { mkdir } from "node:fs/promises"
import { fileError } from "../workspace/file-errors.ts"
import { openWorkspace } from "../workspace/open-workspace.ts"
import { canonicalPath } from "../workspace/paths.ts"
import type { Workspace, WorkspaceOptions } from "../workspace/workspace.ts"
import { isMissing } from "./file-tool.ts"
import type { FileWorkspace } from "./file-tool-options.ts"

/**
 * A workspace that is opened when it is first used, in a folder that is made when something is first written there; until then
 * it is empty.
 */
export function workspaceOnDemand(folder: string, options: WorkspaceOptions = {}): FileWorkspace & Pick<Workspace, "readBytes"> {
  let opening: Promise<Workspace> | undefined
  const open = (): Promise<Workspace> => {
    opening ??= openWorkspace(folder, options).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  /** What the workspace says, or `empty` where there is no folder yet. */
  const ask = async <T>(task: (workspace: Workspace) => Promise<T>, empty: () => T): Promise<T> => {
    let workspace: Workspace
    try {
      workspace = await open()
    } catch (error) {
      if (isMissing(error)) return empty()
      throw error
    }
    return task(workspace)
  }
  return {
    read: async (path, readOptions) => (await open()).read(path, readOptions),
    readBytes: async (path, limits) => (await open()).readBytes(path, limits),
    stat: (path) =>
      ask(
        (workspace) => workspace.stat(path),
        () => undefined,
      ),
    list: (path, listOptions) =>
      ask(
        (workspace) => workspace.list(path, listOptions),
        () => ({ entries: [], truncated: false }),
      ),
    search: (text, searchOptions) =>
      ask(
        (workspace) => workspace.search(text, searchOptions),
        () => ({ matches: [], truncated: false, skipped: [] }),
      ),
    resolve: (path) =>
      ask(
        (workspace) => workspace.resolve(path),
        () => canonicalPath(path, options.names),
      ),
    async write(path, text, writeOptions) {
      await mkdir(folder, { recursive: true })
      return (await open()).write(path, text, writeOptions)
    },
  }
}

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
