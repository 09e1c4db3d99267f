import { messageOf, PromptStrataError } from "../../../../core/errors.ts"
import { type DocumentChange, documentFiles, documentNames } from "../../../../prompt/layers/documents/document.ts"

/** The folder of an agent's documents, such as `workspace` of `openDocuments`. Without `undo` the page shows its history alone. */
export interface InspectedDocuments {
  read(path: string): Promise<{ readonly text: string; readonly hash: string }>
  /** Newest first. */
  history(options: { readonly limit: number }): Promise<readonly DocumentChange[]>
  undo?(options: {
    readonly by: string
    readonly id: string
    /** The file that the person saw. Another one is not changed. */
    readonly expect: "absent" | { readonly hash: string }
  }): Promise<unknown>
}

/** A document as it stands now, with its changes. */
export interface ShownDocument {
  readonly path: string
  /** The SHA-256 of its bytes; absent if there is no file, and if it cannot be read. */
  readonly hash?: string
  /** The first 20,000 characters. */
  readonly text?: string
  readonly characters?: number
  /** The reason why a file that is there cannot be read. */
  readonly problem?: string
  /** Newest first. */
  readonly changes: readonly ShownChange[]
  /** True if somebody changed the file since its newest change without a record: then nothing can be undone. */
  readonly isEdited: boolean
}

/** A change of a document. */
export interface ShownChange extends Omit<DocumentChange, "path" | "beforeHash" | "afterHash"> {
  readonly kind: "created" | "changed" | "removed"
  /** True if the file was changed without a record between the change before and this one. */
  readonly isAfterEdit: boolean
}

/** The documents of a folder. */
export interface ShownDocuments {
  readonly files: readonly ShownDocument[]
  /** True if older changes are not shown. */
  readonly more: boolean
  readonly canUndo: boolean
}

const maxShownCharacters = 20_000
/** The newest changes that are shown. A workspace keeps 100 unless it is told otherwise. */
const maxChanges = 200

/** The living documents, and all other files of which there is a change, those that were changed last first. */
export async function documentsOf(folder: InspectedDocuments): Promise<ShownDocuments> {
  const all = await folder.history({ limit: maxChanges + 1 })
  const changes = Map.groupBy(all.slice(0, maxChanges), ({ path }) => path)
  const paths = new Set([...documentNames.map((name) => documentFiles[name]), ...changes.keys()])
  const files = await Promise.all(Array.from(paths, (path) => documentOf(folder, path, changes.get(path) ?? [])))
  return { files, more: all.length > maxChanges, canUndo: folder.undo !== undefined }
}

async function documentOf(folder: InspectedDocuments, path: string, changes: readonly DocumentChange[]): Promise<ShownDocument> {
  const shown = changes.map((change, at) => shownChange(change, changes[at + 1]))
  try {
    const { text, hash } = await folder.read(path)
    const isEdited = changes[0] !== undefined && changes[0].afterHash !== hash
    const cut = text.slice(0, maxShownCharacters).toWellFormed()
    return { path, hash, text: cut, characters: text.length, changes: shown, isEdited }
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
    const isMissing = error.code === "file-missing"
    const problem = isMissing ? {} : { problem: messageOf(error) }
    return { path, ...problem, changes: shown, isEdited: isMissing && changes[0]?.afterHash !== undefined }
  }
}

function shownChange(change: DocumentChange, earlier: DocumentChange | undefined): ShownChange {
  const { path: _, beforeHash, afterHash, ...rest } = change
  const kind = beforeHash === undefined ? "created" : afterHash === undefined ? "removed" : "changed"
  return { ...rest, kind, isAfterEdit: earlier !== undefined && earlier.afterHash !== beforeHash }
}
