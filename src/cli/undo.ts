import { isMissing } from "../node/files/file-tool.ts"
import { openWorkspace } from "../node/workspace/open-workspace.ts"
import type { WriteRecord } from "../node/workspace/workspace.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { openProfile } from "./open-profile.ts"
import { oneLine, terminalText } from "./terminal-text.ts"
import { wordsFor } from "./words.ts"

/** What `undo` was asked for. */
export interface UndoOptions extends CommonOptions {
  /** Default: the file that was changed last. */
  readonly path?: string
}

/** Takes back the last change in a profile's documents or workspace and shows what that did. Resolves to the exit code. */
export async function undo(options: UndoOptions, { io, screen }: CliContext): Promise<number> {
  const profile = await openProfile(options, io)
  const words = wordsFor(profile.locale)
  const folder = profile.documents?.folder ?? profile.files.folder ?? options.dataDir
  try {
    const workspace = await openWorkspace(folder, { hardLinks: profile.files.hardLinks })
    const { path, record, hash } = await workspace.undo({ by: "user", path: options.path })
    const undone = (await workspace.history({ path })).find(({ id }) => id === record?.undoes)
    io.stdout.write(`${oneLine(words.undone(path, describe(undone)))}\n`)
    if (hash === undefined) screen.note(screen.paint("dim", words.removed(oneLine(path))))
    if (record) screen.note(terminalText(record.diff))
    return exitCodes.ok
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
    screen.complain(words.nothingToUndo(folder))
    return exitCodes.failed
  }
}

function describe(record: WriteRecord | undefined): { readonly by: string; readonly at: string } {
  return record === undefined ? { by: "?", at: "?" } : { by: record.by, at: new Date(record.atMs).toISOString() }
}
