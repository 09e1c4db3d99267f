import { checkOptions, checkType } from "../../core/check-options.ts"
import type { ServiceKey } from "../../core/conversation.ts"
import { type ErrorCode, PromptStrataError } from "../../core/errors.ts"
import { fileHeader } from "../../memory/services/attachments/file-header.ts"
import type { FileFault, FileReferences, OpenedFile } from "../../memory/services/file-references.ts"
import type { FileReference } from "../../prompt/encode/file-reference.ts"
import { decodeText, takeShape } from "../workspace/text-encoding.ts"
import type { FileWorkspace } from "../workspace/workspace.ts"
import sentences from "./file-sentences.json" with { type: "json" }
import types from "./media-types.json" with { type: "json" }

/** Settings of {@link createFileReferences}. */
export interface FileReferencesOptions {
  /** File extensions that can be shown, without a dot, in any case. */
  readonly formats: readonly string[]
  /** A larger file is not shown. Default 10 MiB. */
  readonly maxBytes?: number
  /**
   * False hides a file. Called twice: with the path as the answer wrote it, and with the path of the file that was opened.
   * Default: every file may be shown.
   */
  readonly allow?: (path: string, key: ServiceKey) => boolean | Promise<boolean>
}

/**
 * Opens the files that an answer shows by `%[path]` (R8), under the rules of the workspace: no file outside it, no hidden file,
 * no link that leads out. Both the path in the answer and the file it leads to must have one of the given extensions; a name without
 * one must be of a picture, a recording or a document with the first bytes of such a format.
 */
export function createFileReferences(
  workspace: Pick<FileWorkspace, "readBytes">,
  options: FileReferencesOptions,
): FileReferences {
  checkOptions("createFileReferences", options, "formats maxBytes allow")
  checkType("options.formats of createFileReferences", options?.formats, "list")
  const { formats, maxBytes = 10 * 1024 * 1024, allow = () => true } = options
  const known = formats.map((format) => format.toLowerCase())
  const isKnown = (extension: string) => known.includes(extension)
  const faultAbout = async (path: string, key: ServiceKey): Promise<FileFault | undefined> => {
    if (!isKnown(extensionOf(path)) && extensionOf(path) !== "") return "unsupported"
    return (await allow(path, key)) ? undefined : "refused"
  }
  return {
    formats: known,
    async open(reference, { key, signal }) {
      try {
        const fault = await faultAbout(reference.path, key)
        if (fault) return { ok: false, fault }
        const { path, bytes } = await workspace.readBytes(reference.path, { maxBytes, signal })
        const realFault = await faultAbout(path, key)
        if (realFault) return { ok: false, fault: realFault }
        if (isKnown(extensionOf(path))) return openedFile(path, bytes, reference)
        const type = fileHeader(bytes)?.mediaType
        const isOfFormat = known.some((format) => mediaTypes.get(format) === type)
        if (type === undefined || !isOfFormat) return { ok: false, fault: type ? "refused" : "unsupported" }
        return openedFile(path, bytes, reference, type)
      } catch (thrown) {
        if (extensionOf(reference.path) === "" && !isKnown("")) return { ok: false, fault: "unsupported" }
        return { ok: false, fault: PromptStrataError.isInstance(thrown) ? (faults[thrown.code] ?? "failed") : "failed" }
      }
    },
  }
}

const faults = sentences.references as Partial<Readonly<Record<ErrorCode, FileFault>>>

function openedFile(path: string, bytes: Uint8Array, { lines }: FileReference, mediaType = mediaTypeOf(path)): OpenedFile {
  const picked = lines === undefined ? bytes : pickLines(bytes, path, lines)
  if ("totalLines" in picked) return { ok: false, fault: "beyond", ...picked }
  const base64 = Buffer.from(picked).toString("base64")
  return { ok: true, attachment: { path, mediaType, bytes: picked.length, base64, ...(lines ? { lines } : {}) } }
}

/**
 * The lines `from` to `to` of a text file, or the number of its lines when it does not have these. Lines count from 1, as in the
 * tool `read`. Throws `file-encoding` when the file is not text.
 */
function pickLines(
  bytes: Uint8Array,
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): Uint8Array | { readonly totalLines: number } {
  const { plain } = takeShape(decodeText(bytes, path))
  const lines = plain.split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  if (from < 1 || to < from || to > lines.length) return { totalLines: lines.length }
  return new TextEncoder().encode(lines.slice(from - 1, to).join("\n"))
}

/** The part of a file's name behind its last dot, in lower case; `""` when there is no dot. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase()
}

/** The media type of a file, by its extension. */
export function mediaTypeOf(path: string): string {
  return mediaTypes.get(extensionOf(path)) ?? "application/octet-stream"
}

/** The media types of files, by extension. */
const mediaTypes: ReadonlyMap<string, string> = new Map(Object.entries(types))
