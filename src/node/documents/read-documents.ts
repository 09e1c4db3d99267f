import { PromptStrataError } from "../../core/errors.ts"
import { type DocumentName, type DocumentState, type Documents, documentFiles } from "../../layers/documents/document.ts"
import { isMissing } from "../files/file-tool.ts"
import type { FileWorkspace } from "../files/file-workspace.ts"
import type { WorkspaceFile } from "../workspace/workspace.ts"

/** The documents of a turn as they lie on the disk. */
export interface ReadDocuments {
  readonly documents: Documents
  /** Those that were read. */
  readonly files: ReadonlyMap<DocumentName, WorkspaceFile>
  /** Why others were left out. */
  readonly problems: readonly string[]
}

/** Reads the documents anew (D1); with memory off SOUL.md alone, and nothing is asked of the others (D2). */
export async function readDocuments(
  workspace: Pick<FileWorkspace, "read">,
  { memoryOn, signal }: { readonly memoryOn: boolean; readonly signal: AbortSignal },
): Promise<ReadDocuments> {
  const files = new Map<DocumentName, WorkspaceFile>()
  const problems: string[] = []
  const read = async (name: DocumentName): Promise<DocumentState> => {
    const path = documentFiles[name]
    try {
      const file = await workspace.read(path, { signal })
      files.set(name, file)
      return { state: "read", text: file.text }
    } catch (thrown) {
      if (isMissing(thrown)) return { state: "missing" }
      if (!PromptStrataError.isInstance(thrown) || thrown.code === "aborted") throw thrown
      problems.push(`${path} was left out of the prompt. ${thrown.message}`)
      return { state: "unreadable" }
    }
  }
  if (!memoryOn) return { documents: { soul: await read("soul") }, files, problems }
  const [soul, user, memory] = await Promise.all([read("soul"), read("user"), read("memory")])
  return { documents: { soul, user, memory }, files, problems }
}
