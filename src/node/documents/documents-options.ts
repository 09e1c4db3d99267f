import type { TokenCounter } from "../../core/ports.ts"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import type { DocumentSettings } from "../../layers/documents/document.ts"
import type { FileMount, FileToolName } from "../files/file-tool-options.ts"

/** Settings of the living documents; all have defaults. */
export interface DocumentsOptions extends Partial<DocumentSettings> {
  /** The language of the tools' and the marker's words. Default `en`. */
  readonly locale?: string
  /** The prompt files with those words; default: the shipped ones. */
  readonly prompts?: readonly PromptSource[]
  /** The file tools of a turn with memory on. Default: `read`, `write` and `edit`. Off, there is `read` for SOUL.md alone (D9). */
  readonly tools?: readonly FileToolName[]
  /** Folders that are read beside the documents, such as skills; with memory off too. */
  readonly mounts?: readonly FileMount[]
  /** Says how many tokens a short budget leaves of each document. Default: an estimate. */
  readonly counter?: TokenCounter
}
