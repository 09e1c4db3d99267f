import { canonicalPath, samePath } from "../workspace/same-path.ts"
import type { FileMount } from "./file-tool-options.ts"
import type { FileWorkspace, ReadableWorkspace } from "./file-workspace.ts"

/** Where a path leads: into the workspace, or into a mount, which is only read. */
export interface FilePlace {
  readonly workspace: ReadableWorkspace
  /** The path inside it; `""` for its root. */
  readonly path: string
  readonly mount?: FileMount
}

/** Finds where paths lead. */
export interface FilePlaces {
  readonly workspace: FileWorkspace
  readonly mounts: readonly FileMount[]
  /** Throws as the workspace's path rules do. */
  find(path: string): FilePlace
  /** A path inside a place as the model knows it. */
  shown(place: Pick<FilePlace, "mount">, path: string): string
}

/** The places of a workspace and its mounts. A mount hides what the workspace has under its prefix, however that is spelled. */
export function filePlaces(workspace: FileWorkspace, mounts: readonly FileMount[] = []): FilePlaces {
  return {
    workspace,
    mounts,
    find(path) {
      const names = canonicalPath(path).split("/")
      for (const mount of mounts) {
        const depth = mount.prefix.split("/").length
        if (names.length >= depth && samePath(names.slice(0, depth).join("/"), mount.prefix)) {
          return { workspace: mount.workspace, path: names.slice(depth).join("/"), mount }
        }
      }
      return { workspace, path: names.join("/") }
    },
    shown: ({ mount }, path) => [mount?.prefix, path].filter((part) => part !== undefined && part !== "").join("/"),
  }
}
