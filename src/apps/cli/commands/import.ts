import { statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import type { Command } from "commander"
import { PromptStrataError } from "../../../core/errors.ts"
import { readLorebook } from "../../../node/cards/lorebook-file.ts"
import { promptLocale } from "../../../node/locale.ts"
import { createLoreScanner } from "../../../prompt/layers/lorebook/scan.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { type Foreign, findKind } from "../import/find-kind.ts"
import { importCard } from "../import/import-card.ts"
import { importChat } from "../import/import-chat.ts"
import { filesOfPreset } from "../import/import-preset.ts"
import { type ImportedFiles, type ImportSource, writeImport } from "../import/imported-files.ts"
import { filesOfServers, type ServersSource } from "../import/mcp-servers.ts"
import { filesOfAgents, filesOfWorkspace } from "../import/workspace-files.ts"
import { addCommonOptions, type CommonOptions, type StoreOptions } from "../options.ts"
import { characterId, readLocale } from "./scaffold.ts"

interface ImportOptions extends CommonOptions, StoreOptions {
  readonly conversation?: string
  /** Replaces files that are there. */
  readonly force?: boolean
}

/** Adds the command `import`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("import")
    .description("Take over a file or folder of another program: it says what it found, and makes the right thing of it.")
    .argument("<path>", "the file or folder")
    .argument("[to]", "folder for new files (default: named after the content)")
    .option("--force", "replace files that are there already")
    .option("--conversation <name>", "name of the conversation that a chat becomes (default: the next one of chat)")
  addCommonOptions(command, { profile: "layered", store: "required" }).action(
    (path: string, folder: string | undefined, options: ImportOptions) =>
      run((context) => importFile(path, { folder, version: program.version() ?? "", ...options }, context), {
        debug: options.debug,
      }),
  )
}

interface ImportPlan extends ImportOptions {
  readonly folder: string | undefined
  readonly version: string
}

/** Finds out what a path holds, and imports it. Resolves to the exit code. */
async function importFile(path: string, { folder, version, ...options }: ImportPlan, context: CliContext): Promise<number> {
  const found = findKind(path)
  const given = readLocale(options.locale)
  if (found.kind === "card") return importCard({ file: path, folder, locale: given, version, force: options.force }, context)
  if (found.kind !== "chat") {
    const locale = given ?? readLocale(promptLocale({ env: context.io.env })) ?? "en"
    return writeImport(
      filesOf(found, { file: path, locale, env: context.io.env }),
      { folder, force: options.force === true },
      context,
    )
  }
  if (folder !== undefined)
    throw new PromptStrataError("usage", "expected no folder, because a chat becomes a conversation in the store.", {
      hint: "--store or --data-dir names the store.",
    })
  return importChat({ file: path, text: found.text, ...options }, context)
}

type WithFiles = Exclude<Foreign, { readonly kind: "card" | "chat" }>

function filesOf(found: WithFiles, source: ServersSource): ImportedFiles {
  const { file, locale } = source
  switch (found.kind) {
    case "preset":
      return filesOfPreset(found.json, source)
    case "lorebook":
      return filesOfLorebook(found, source)
    case "servers":
      return filesOfServers(found.servers, source)
    case "agents":
      return filesOfAgents(found.text, { ...source, file: statSync(file).isDirectory() ? join(file, "AGENTS.md") : file })
    case "workspace":
      return filesOfWorkspace(file, locale)
  }
}

/** A lorebook beside a profile that has it. The file stays as it is: nothing of it is lost, and JSON is still a stranger's text. */
function filesOfLorebook(found: Extract<Foreign, { readonly kind: "lorebook" }>, { file, locale }: ImportSource): ImportedFiles {
  const { book, warnings } = readLorebook(file)
  const id = characterId("", basename(file, extname(file)))
  const path = `lore/${id}.${found.ending}`
  const refused = createLoreScanner(book).refused.map(
    ({ entry, key, reason }) => `entry ${JSON.stringify(entry.slice(0, 60))}: the pattern ${key} is not used: ${reason}.`,
  )
  const profile = [
    `# A lorebook. Another profile takes it with extends = "./${id}.toml", or with the lines of [lorebook].\n\nlocale = ${JSON.stringify(locale)}\n`,
    '[agent]\nname = "Lore"\n',
    `[lorebook]\nfiles = ["../${path}"]\n`,
  ].join("\n")
  return {
    name: id,
    what:
      book.entries.length === 1
        ? `A lorebook with 1 entry: ${path}, and profiles/${id}.toml, which others extend.`
        : `A lorebook with ${book.entries.length} entries: ${path}, and profiles/${id}.toml, which others extend.`,
    files: new Map([
      [path, found.text],
      [`profiles/${id}.toml`, profile],
    ]),
    report: [...warnings, ...refused],
  }
}
