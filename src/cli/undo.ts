import { isMissing } from "../node/files/file-tool.ts"
import { openWorkspace } from "../node/workspace/open-workspace.ts"
import type { Workspace, WriteRecord } from "../node/workspace/workspace.ts"
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
  /** Back to what the file held before this change, later ones of it included. Default: the last change. */
  readonly id?: string
  /** Print the changes instead. */
  readonly list: boolean
}

/** Takes back a change in a profile's documents or workspace and shows what that did, or lists the changes. Resolves to the exit code. */
export async function undo(options: UndoOptions, { io, screen }: CliContext): Promise<number> {
  const profile = await openProfile(options, io)
  const words = wordsFor(profile.locale)
  const folder = profile.documents?.folder ?? profile.files.folder ?? options.dataDir
  try {
    const workspace = await openWorkspace(folder, { hardLinks: profile.files.hardLinks })
    if (options.list) {
      for (const line of await listed(workspace, options.path)) io.stdout.write(`${oneLine(line)}\n`)
      return exitCodes.ok
    }
    const { path, record, hash } = await workspace.undo({ by: "user", path: options.path, id: options.id })
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

/** Changes, newest first: id, when, by whom, which file and how many lines. */
async function listed(workspace: Workspace, path: string | undefined): Promise<readonly string[]> {
  const records = await workspace.history(path === undefined ? {} : { path })
  return records.map(({ id, atMs, by, path: changed, diff }) => {
    const lines = diff.split("\n")
    const count = (sign: string) => `${sign}${lines.filter((line) => line.startsWith(sign)).length}`
    return [id, new Date(atMs).toISOString(), by, changed, `${count("+")} ${count("-")}`].join("  ")
  })
}

function describe(record: WriteRecord | undefined): { readonly by: string; readonly at: string } {
  return record === undefined ? { by: "?", at: "?" } : { by: record.by, at: new Date(record.atMs).toISOString() }
}
