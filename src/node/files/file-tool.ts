import { PromptStrataError } from "../../core/errors.ts"
import type { ToolContext } from "../../tools/tool.ts"
import type { FilePlaces } from "./file-places.ts"
import type { FileOperation, FileToolsOptions } from "./file-tool-options.ts"
import { type FileWords, shownPath } from "./file-words.ts"
import type { ReadLedger } from "./read-ledger.ts"

/** What every file tool works with. */
export interface FileToolParts extends Pick<FileToolsOptions, "allow" | "confirmRule"> {
  /** The tool's name. */
  readonly name: string
  readonly words: FileWords
  readonly places: FilePlaces
  readonly reads: ReadLedger
  readonly pageCharacters: number
}

/** True where the model may do this to a path. */
export async function isAllowed(
  { allow }: FileToolParts,
  path: string,
  { operation, context }: { readonly operation: FileOperation; readonly context: ToolContext },
): Promise<boolean> {
  return allow === undefined || (await allow(path, operation, context))
}

/** Throws, in the tool's words, where the model may not do this to a path. */
export async function requireAllowed(
  parts: FileToolParts,
  path: string,
  asked: { readonly operation: FileOperation; readonly context: ToolContext },
): Promise<void> {
  if (!(await isAllowed(parts, path, asked))) throw parts.words.problem({ path: shownPath(path), forbidden: true })
}

/** True for the error of a file that is not there. */
export function isMissing(thrown: unknown): boolean {
  return PromptStrataError.isInstance(thrown) && thrown.code === "file-missing"
}
