import { type ErrorCode, PromptStrataError } from "../../core/errors.ts"
import type { ServiceKey } from "../../core/keys.ts"
import type { FileReference } from "../../encode/file-reference.ts"
import type { FileFault, FileReferences, OpenedFile } from "../../services/file-references.ts"
import { decodeText, takeShape } from "../workspace/text-encoding.ts"
import type { Workspace } from "../workspace/workspace.ts"

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

const types: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  toml: "application/toml",
  yaml: "application/yaml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  mp4: "video/mp4",
  webm: "video/webm",
  pdf: "application/pdf",
  zip: "application/zip",
}

/** What a file's name ends in behind its last dot, in lower case; empty where there is no dot. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase()
}

/** The media type that goes with an ending; bytes of any kind where none is known. */
function mediaTypeOf(ending: string): string {
  return Object.hasOwn(types, ending) ? (types[ending] ?? "") : "application/octet-stream"
}

/** Lines of a text file, or how many it has where it does not have these. */
type PickedLines = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly totalLines: number }

/** The lines `from` to `to` of a file, counted from 1 as the tool `read` counts them. Throws `file-encoding` for what is no text. */
function pickLines(bytes: Uint8Array, path: string, { from, to }: { readonly from: number; readonly to: number }): PickedLines {
  const { plain } = takeShape(decodeText(bytes, path))
  const lines = plain.split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  if (from < 1 || to < from || to > lines.length) return { ok: false, totalLines: lines.length }
  return { ok: true, bytes: new TextEncoder().encode(lines.slice(from - 1, to).join("\n")) }
}
