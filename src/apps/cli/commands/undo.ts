import type { Command } from "commander"
import { isMissingFile } from "../../../node/files/file-tool.ts"
import { openFolder } from "../../../node/workspace/open-workspace.ts"
import type { FileWorkspace, WriteRecord } from "../../../node/workspace/workspace.ts"
import { terminalLine, terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { openProfile } from "../open-agent.ts"
import { addCommonOptions, type CommonOptions } from "../options.ts"
import { chatWords } from "../words/command-words.ts"

interface UndoOptions extends CommonOptions {
  /** Default: the file that was changed last. */
  readonly path?: string | undefined
  /** Undo this change and all later ones of its file. Default: the last change. */
  readonly id?: string
  /** Print the changes instead. */
  readonly list?: boolean
}

/** Adds the command `undo`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("undo")
    .description(
      "Undo the last change that a tool made to a file of the workspace, and print the difference. A second undo restores the change.",
    )
    .argument("[path]", "a file, such as MEMORY.md (default: the file that was changed last)")
    .option("--list", "print the changes, newest first: id, time, author, file, line counts")
    .option("--id <id>", "undo this change and all later changes of its file")
  addCommonOptions(command, { profile: "soul" }).action((path: string | undefined, given: Omit<UndoOptions, "path">) =>
    run((context) => undo({ ...given, path }, context), { debug: given.debug }),
  )
}

/** Undoes a change in a profile's documents or workspace and prints the difference, or lists the changes. Resolves to the exit code. */
async function undo(options: UndoOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const profile = await openProfile(options, context, "soul")
  const words = chatWords(profile.locale)
  const folder = profile.documents?.folder ?? profile.files.folder ?? options.dataDir
  try {
    const workspace = await openFolder(folder, { hardLinks: profile.files.hardLinks })
    if (options.list) {
      for (const line of await listed(workspace, options.path)) io.stdout.write(`${terminalLine(line)}\n`)
      return exitCodes.ok
    }
    const { path, record, hash } = await workspace.undo({ by: "user", path: options.path, id: options.id })
    const undone = (await workspace.history({ path })).find(({ id }) => id === record?.undoes)
    io.stdout.write(`${terminalLine(words.undone(path, authorAndTime(undone)))}\n`)
    if (hash === undefined) screen.note(screen.paint("dim", words.removed(terminalLine(path))))
    if (record) screen.note(terminalText(record.diff))
    return exitCodes.ok
  } catch (thrown) {
    if (!isMissingFile(thrown)) throw thrown
    screen.complain(words.nothingToUndo(folder))
    return exitCodes.failed
  }
}

async function listed(workspace: FileWorkspace, path: string | undefined): Promise<readonly string[]> {
  const records = await workspace.history(path === undefined ? {} : { path })
  return records.map(({ id, atMs, by, path: changed, diff }) => {
    const lines = diff.split("\n")
    const count = (sign: string) => `${sign}${lines.filter((line) => line.startsWith(sign)).length}`
    return [id, new Date(atMs).toISOString(), by, changed, `${count("+")} ${count("-")}`].join("  ")
  })
}

function authorAndTime(record: WriteRecord | undefined): { readonly by: string; readonly at: string } {
  return record === undefined ? { by: "?", at: "?" } : { by: record.by, at: new Date(record.atMs).toISOString() }
}
