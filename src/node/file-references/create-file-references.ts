import { type ErrorCode, PromptStrataError } from "../../core/errors.ts"
import type { ServiceKey } from "../../core/keys.ts"
import type { FileReference } from "../../encode/file-reference.ts"
import type { FileFault, FileReferences, OpenedFile } from "../../services/file-references.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { endingOf, mediaTypeOf } from "./media-types.ts"
import { pickLines } from "./pick-lines.ts"

/** Settings of {@link createFileReferences}. */
export interface FileReferencesOptions {
  /** Endings of files that can be shown, without a dot, in any case. */
  readonly formats: readonly string[]
  /** A larger file is not shown. Default 10 MiB. */
  readonly maxBytes?: number
  /** False keeps a file from everybody: asked with the path as it is written, and as the file is spelled. Default: all may be shown. */
  readonly allow?: (path: string, key: ServiceKey) => boolean | Promise<boolean>
}

const defaultMaxBytes = 10 * 1024 * 1024

const faults: Partial<Readonly<Record<ErrorCode, FileFault>>> = {
  "file-missing": "missing",
  "file-path": "refused",
  "file-outside": "refused",
  "file-kind": "refused",
  "file-size": "large",
  "file-encoding": "unsupported",
}

/**
 * Opens what answers show by `%[path]` (R8) in a workspace, by its rules: nothing outside it, no hidden file, no link that leads
 * out. Only files of the given formats, by the ending that was written and by that of the file it led to.
 */
export function createFileReferences(
  workspace: Pick<Workspace, "readBytes">,
  { formats, maxBytes = defaultMaxBytes, allow = () => true }: FileReferencesOptions,
): FileReferences {
  const known = formats.map((format) => format.toLowerCase())
  const isShown = (path: string) => known.includes(endingOf(path))
  const open = async (reference: FileReference, { key, signal }: Parameters<FileReferences["open"]>[1]): Promise<OpenedFile> => {
    if (!isShown(reference.path)) return { ok: false, fault: "unsupported" }
    if (!(await allow(reference.path, key))) return { ok: false, fault: "refused" }
    const { path, bytes } = await workspace.readBytes(reference.path, { maxBytes, signal })
    if (!isShown(path)) return { ok: false, fault: "unsupported" }
    if (!(await allow(path, key))) return { ok: false, fault: "refused" }
    return openedOf(path, bytes, reference)
  }
  return {
    formats: known,
    open: (reference, options) =>
      open(reference, options).catch((thrown: unknown): OpenedFile => ({ ok: false, fault: faultOf(thrown) })),
  }
}

function openedOf(path: string, bytes: Uint8Array, { lines }: FileReference): OpenedFile {
  const picked = lines === undefined ? { ok: true as const, bytes } : pickLines(bytes, path, lines)
  if (!picked.ok) return { ok: false, fault: "beyond", totalLines: picked.totalLines }
  const base64 = Buffer.from(picked.bytes).toString("base64")
  const mediaType = mediaTypeOf(endingOf(path))
  return { ok: true, attachment: { path, mediaType, bytes: picked.bytes.length, base64, ...(lines ? { lines } : {}) } }
}

function faultOf(thrown: unknown): FileFault {
  return PromptStrataError.isInstance(thrown) ? (faults[thrown.code] ?? "failed") : "failed"
}
