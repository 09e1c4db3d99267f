import { type DocumentName, documentFiles, documentNames } from "../../layers/documents/document.ts"
import type { ConfirmRule, FileChange } from "../files/file-tool-options.ts"
import type { ReadContext } from "../files/read-ledger.ts"
import { samePath } from "../workspace/paths.ts"

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

/** What each document held when a turn began, so that what is taken from it piece by piece is seen in all. */
export interface DocumentBaselines {
  note(context: ReadContext, texts: ReadonlyMap<DocumentName, string>): void
  textOf(context: ReadContext, name: DocumentName): string | undefined
}

/** Turns that run at once are few; what is older is over. */
const maxTurns = 64

/** Makes an empty one. */
export function createDocumentBaselines(): DocumentBaselines {
  const turns = new Map<string, ReadonlyMap<DocumentName, string>>()
  return {
    note(context, texts) {
      turns.set(keyOf(context), texts)
      for (const oldest of turns.keys()) {
        if (turns.size <= maxTurns) break
        turns.delete(oldest)
      }
    },
    textOf: (context, name) => turns.get(keyOf(context))?.get(name),
  }
}

function keyOf({ key, turnId }: ReadContext): string {
  return JSON.stringify([key.agent, key.conversation, key.audience, turnId])
}
