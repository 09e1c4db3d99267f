import { existsSync } from "node:fs"
import { relative, resolve } from "node:path"
import { updateFile } from "../../../node/workspace/update-file.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { type CharacterLocale, requireNew, writeNewFiles } from "../commands/scaffold.ts"
import type { CliContext } from "../context.ts"
import { exitCodes } from "../io.ts"

/** Files that an import makes, and a sentence for each thing that was not taken. */
export interface ImportedFiles {
  /** The name of a folder for them, where nobody gave one. */
  readonly name: string
  /** A sentence that says what was found and what became of it. */
  readonly what: string
  /** By their paths in the project's folder. */
  readonly files: ReadonlyMap<string, string>
  readonly report: readonly string[]
}

/** The file that an import reads, for names, and the language of what it makes. */
export interface ImportSource {
  readonly file: string
  readonly locale: CharacterLocale
}

/** Writes the files into a folder and says what was made and what was not taken. Files that exist stop it unless `force` is set. */
export async function writeImport(
  { name, what, files, report }: ImportedFiles,
  { folder: given, force }: { readonly folder: string | undefined; readonly force: boolean },
  { screen, translate }: CliContext,
): Promise<number> {
  // A folder with profiles is a project.
  const folder = given ?? (existsSync("profiles") ? "." : name)
  if (force) for (const [path, text] of files) await updateFile(resolve(folder, path), () => text)
  else {
    requireNew(folder, [...files.keys()])
    writeNewFiles(folder, files)
  }
  const shown = relative(process.cwd(), resolve(folder)) || "."
  const lines = [
    what,
    `Wrote ${files.size} files into ${shown}:`,
    ...[...files.keys()].sort().map((path) => `  ${path}`),
    ...(report.length === 0 ? [] : ["Not taken, or not as it was:", ...report.map((line) => `  ${translate(line)}`)]),
  ]
  screen.note(lines.map((line) => terminalLine(translate(line), 400)).join("\n"))
  return exitCodes.ok
}
