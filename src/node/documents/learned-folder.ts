import { PromptStrataError } from "../../core/errors.ts"
import { onDemand } from "../../core/late.ts"
import { withFileErrors } from "../workspace/file-errors.ts"
import { nodeFileSystem, statIfThere } from "../workspace/file-system.ts"
import { makeFolders } from "../workspace/folders.ts"
import { type LockedWorkspace, openLockable } from "../workspace/open-workspace.ts"
import type { FileWorkspaceOptions, WorkspaceFile } from "../workspace/workspace.ts"
import { changeLines } from "./learned-lines.ts"
import { type LearnedRecord, lineHash, nothingLearned, parseRecord, printRecord, recordName } from "./learned-record.ts"

/** The documents' folder while nobody else can change it, with the record of written lines. */
export type OpenDocuments = Awaited<ReturnType<typeof openDocuments>>

/** The folder of documents that background work writes. */
export type LearnedFolder = ReturnType<typeof learnedFolder>

/** Opens the folder at its first use. `onDamage` hears of a record or a document that cannot be read. */
export function learnedFolder(folder: string, options: FileWorkspaceOptions, onDamage: (message: string) => void) {
  const fs = options.fs ?? nodeFileSystem
  const open = onDemand(() => openLockable(folder, options))
  const told = new Set<string>()
  const onStuck = (path: string, message: string): void => {
    if (!told.has(path)) onDamage(`Forgotten lines still stand in ${path}. ${message}`)
    told.add(path)
  }
  const run = async <T>(signal: AbortSignal | undefined, task: (open: OpenDocuments) => Promise<T>): Promise<T> =>
    (await open()).whileLocked(signal, async (locked) =>
      task(await finished(await openDocuments(locked, signal, onDamage), locked, onStuck)),
    )
  return {
    /** Runs a task that no other process and no tool can disturb. A missing folder gives undefined. */
    locked: async <T>(signal: AbortSignal | undefined, task: (open: OpenDocuments) => Promise<T>) =>
      (await statIfThere(fs, folder)) ? run(signal, task) : undefined,
    /** The same in a folder that is made if it is missing. */
    async create<T>(signal: AbortSignal | undefined, task: (open: OpenDocuments) => Promise<T>): Promise<T> {
      await withFileErrors("write", folder, () => makeFolders(fs, folder))
      return run(signal, task)
    },
    /** The edits that one author made, newest first, as `edit` of {@link OpenDocuments} names them. */
    async editsBy(by: string): Promise<readonly string[]> {
      const history = await (await open()).workspace.history({ limit: 50 })
      return history.filter((record) => record.by === by).map(nameOf)
    },
  }
}

const nameOf = ({ path, id }: { readonly path: string; readonly id: string }): string => `${path} edit ${id}`

async function openDocuments(locked: LockedWorkspace, signal: AbortSignal | undefined, onDamage: (message: string) => void) {
  const written = await locked.readOwn(recordName)
  const read = parseRecord(written)
  if (read === undefined && written !== undefined) {
    await locked.writeOwn(recordName, printRecord(nothingLearned))
    onDamage(
      `.promptstrata/${recordName} was damaged and begins anew. The lines that stand in the documents count as written by hand now: forgetting leaves them, so delete those yourself.`,
    )
  }
  let record: LearnedRecord = read ?? nothingLearned
  return {
    get record() {
      return record
    },
    /** Replaces the record. It is durable then. */
    async save(next: LearnedRecord): Promise<void> {
      await locked.writeOwn(recordName, printRecord(next))
      record = next
    },
    /** The text of a document; empty if there is none. */
    async read(path: string): Promise<string> {
      let text = ""
      const see = (file: WorkspaceFile | undefined): undefined => {
        text = file?.text ?? ""
      }
      await locked.update(path, see, { by: "", signal })
      return text
    },
    /** Changes a document in one step. Returns its name with the id of the edit; undefined if nothing changed. */
    async edit(path: string, by: string, change: (text: string) => string): Promise<string | undefined> {
      const changed = (file: WorkspaceFile | undefined): string | undefined => {
        const text = file?.text ?? ""
        const next = change(text)
        return next === text ? undefined : next
      }
      const { record: made } = await locked.update(path, changed, { by, signal })
      return made && nameOf(made)
    },
  }
}

/**
 * Takes out the lines that are marked as forgotten, or puts back what stood there before them, with all former contents of their documents. A process that ends in between leaves
 * the marks, and the next one goes on. So does a document that cannot be read: it stops nobody else's.
 */
async function finished(
  open: OpenDocuments,
  locked: LockedWorkspace,
  onStuck: (path: string, message: string) => void,
): Promise<OpenDocuments> {
  const gone = open.record.lines.filter((line) => line.forgotten === true)
  const done = new Set<string>()
  for (const [path, lines] of Map.groupBy(gone, (line) => line.path)) {
    const before = new Map(lines.map(({ hash, instead }) => [hash, instead]))
    const kept = (line: string): string | undefined => {
      const hash = lineHash(line)
      return before.has(hash) ? before.get(hash) : line
    }
    try {
      await open.edit(path, "forgotten", (text) => changeLines(text, kept))
      done.add(path)
    } catch (error) {
      if (!PromptStrataError.isInstance(error) || error.code === "aborted") throw error
      onStuck(path, error.message)
    }
    await locked.dropHistory(path)
  }
  if (done.size > 0)
    await open.save({ ...open.record, lines: open.record.lines.filter((line) => !(line.forgotten && done.has(line.path))) })
  return open
}
