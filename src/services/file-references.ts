import type { FileAttachment } from "../core/file-attachment.ts"
import type { ServiceKey } from "../core/keys.ts"
import type { FileReference } from "../encode/file-reference.ts"

/** Why a reference was not opened: no such file, outside what may be opened, no supported format, fewer lines, too large, or an error. */
export type FileFault = "missing" | "refused" | "unsupported" | "beyond" | "large" | "failed"

/** What opening a reference came to; `totalLines` with `beyond`. */
export type OpenedFile =
  | { readonly ok: true; readonly attachment: FileAttachment }
  | { readonly ok: false; readonly fault: FileFault; readonly totalLines?: number }

/** Opens the files that answers show (R8). */
export interface FileReferences {
  /** Endings without a dot, in lower case: what the model is told it can show. */
  readonly formats: readonly string[]
  /** Opens one within `limits.toolMs`; what it throws counts as `failed`. */
  open(reference: FileReference, options: { readonly key: ServiceKey; readonly signal: AbortSignal }): Promise<OpenedFile>
}
