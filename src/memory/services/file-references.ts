import type { FileAttachment, ServiceKey } from "../../core/conversation.ts"
import type { FileReference } from "../../prompt/encode/file-reference.ts"

/**
 * The reason why a file was not opened: `missing`, `refused` (outside the folders that may be opened), `unsupported` (format),
 * `beyond` (the file has fewer lines), `large`, or `failed` (any other error).
 */
export type FileFault = "missing" | "refused" | "unsupported" | "beyond" | "large" | "failed"

/** The result of opening a reference. `totalLines` comes with the fault `beyond`. */
export type OpenedFile =
  | { readonly ok: true; readonly attachment: FileAttachment }
  | { readonly ok: false; readonly fault: FileFault; readonly totalLines?: number | undefined }

/** Opens the files that a model's answers refer to (R8). */
export interface FileReferences {
  /** File endings in lower case, without the dot. The model is told that it can show these. */
  readonly formats: readonly string[]
  /** Opens one file within `limits.toolMs`. Faults are results; an error that it throws counts as `failed`. It may be called concurrently. */
  open(reference: FileReference, options: { readonly key: ServiceKey; readonly signal: AbortSignal }): Promise<OpenedFile>
}
