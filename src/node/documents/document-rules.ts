import { type DocumentName, documentFiles, documentNames } from "../../layers/documents/document.ts"
import type { ConfirmRule, FileChange } from "../files/file-tool-options.ts"
import { samePath } from "../workspace/same-path.ts"

/** The document that a path leads to, however it is spelled (D12). */
export function documentAt(path: string): DocumentName | undefined {
  return documentNames.find((name) => samePath(path, documentFiles[name]))
}

/**
 * Who is asked before a document changes (D9): SOUL.md, always; without anybody to ask it may only be made where it is missing.
 * Any document that would lose more than three quarters of itself, or all, since `baseline`, what it held when the turn began:
 * memories were lost that way.
 */
export function documentConfirmRule({ path, before, after }: FileChange, baseline?: string): ConfirmRule {
  const document = documentAt(path)
  if (document === undefined) return "free"
  const shrinks = before !== undefined && after.trim().length < before.trim().length
  if (shrinks && [before, baseline ?? ""].some((text) => shrinksTooFar(text.trim(), after.trim()))) return "ask"
  if (document !== "soul") return "free"
  return before === undefined ? "ask-if-possible" : "ask"
}

function shrinksTooFar(before: string, after: string): boolean {
  return before !== "" && (after === "" || after.length * 4 < before.length)
}
