import { closeQuietly } from "./close-quietly.ts"
import { fileError } from "./file-errors.ts"
import { openFile } from "./open-file.ts"
import { splitPath } from "./path-rules.ts"
import { readBytes } from "./read-bytes.ts"
import { decodeText, hashOf } from "./text-bytes.ts"
import type { WorkspaceBytes, WorkspaceFile } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** Reads a file whole, as bytes. */
export async function readWorkspaceBytes(
  root: WorkspaceRoot,
  path: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<WorkspaceBytes> {
  const found = await openFile(root, splitPath(path, root.hidden))
  if (!found) throw fileError("file-missing", path, "expected a file, found none.")
  const real = found.names.join("/")
  try {
    const { bytes, stats } = await readBytes(found.handle, { path: real, ...options })
    return { path: real, bytes, hash: hashOf(bytes), sizeBytes: bytes.length, mode: stats.mode }
  } finally {
    await closeQuietly(found.handle)
  }
}

/** Reads a text file whole. */
export async function readWorkspaceFile(
  root: WorkspaceRoot,
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<WorkspaceFile> {
  const { bytes, ...rest } = await readWorkspaceBytes(root, path, { maxBytes: root.maxFileBytes, signal })
  return { ...rest, text: decodeText(bytes, rest.path) }
}
