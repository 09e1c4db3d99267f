import { dirname, resolve, sep } from "node:path"
import { fileError, withFileErrors } from "./file-errors.ts"
import { closeQuietly, type FileSystem, openFlags } from "./file-system.ts"
import type { HiddenRule } from "./paths.ts"

/** The folder of a workspace, and the rules for files in it. */
export interface WorkspaceRoot {
  readonly fs: FileSystem
  /** Present when the system can say which file a descriptor has open. */
  readonly descriptors: FileSystem["descriptors"]
  /** The real path, without links. */
  readonly path: string
  readonly hidden: HiddenRule
  readonly hardLinks: "refuse" | "allow"
  readonly maxFileBytes: number
  /** The exact spelling of names that matter, used when such a file is created. */
  readonly names: readonly string[]
}

/** Finds a folder's real path, and whether descriptors can be asked there. Throws errors whose code begins with `file`. */
export function findRoot(folder: string, fs: FileSystem): Promise<Pick<WorkspaceRoot, "fs" | "path" | "descriptors">> {
  return withFileErrors("open", folder, async () => {
    const path = await fs.realPath(resolve(folder))
    if ((await fs.stat(path)).kind !== "folder")
      throw fileError("file-kind", folder, "expected a folder for the workspace, found a file.")
    if (dirname(path) === path)
      throw fileError("file-outside", folder, "expected a folder for the workspace, found the whole disk.")
    return { fs, path, descriptors: (await showsDescriptors(fs, path)) ? fs.descriptors : undefined }
  })
}

async function showsDescriptors(fs: FileSystem, path: string): Promise<boolean> {
  if (!fs.descriptors) return false
  const handle = await fs.open(path, openFlags.folder)
  try {
    return (await fs.readLink(`${fs.descriptors.folder}/${handle.descriptor}`)) === path
  } catch {
    return false
  } finally {
    await closeQuietly(handle)
  }
}

/** The names that lead from the root to a real path. Throws `file-outside` about `shown` when it lies elsewhere. */
export function relativeNames(root: Pick<WorkspaceRoot, "path">, path: string, shown: string): readonly string[] {
  if (path === root.path) return []
  if (!path.startsWith(root.path + sep)) {
    throw fileError("file-outside", shown, "expected a file inside the workspace, found a way out of it.")
  }
  return path.slice(root.path.length + 1).split(sep)
}
