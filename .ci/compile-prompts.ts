// Writes prompts/**/*.{md,txt} as modules into src/dialect/shipped-prompts/, one for each folder and locale, so that assembling
// needs neither a disk nor YAML at run time and reads only the dialect that is used. The modules are not in git: every command
// that needs them runs this first. `--if-older` does nothing where they are newer than the prompts.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { PromptSource } from "../src/dialect/prompt-source.ts"
import { loadPrompts } from "../src/node/load-prompts.ts"

const prompts = fileURLToPath(new URL("../prompts/", import.meta.url))
const target = fileURLToPath(new URL("../src/dialect/shipped-prompts/", import.meta.url))
const head = "// Generated from prompts/ by `npm run prompts`."

/** The generated modules by file name: one for each folder and locale, and a list of them. */
export function compilePrompts(folder: string = prompts): ReadonlyMap<string, string> {
  const byFolder = Map.groupBy(loadPrompts(folder, { shownAs: "" }), ({ path }) => path.split("/").slice(0, 2).join("/"))
  const modules = [...byFolder].map(([name, sources]) => [`${moduleName(name)}.ts`, folderModule(sources)] as const)
  return new Map([...modules, ["folders.ts", indexModule(byFolder)]])
}

function folderModule(sources: readonly PromptSource[]): string {
  const entries = sources.map(({ path, attributes, body, firstLine }) => {
    const fields = Object.entries({ path, attributes, body, firstLine })
    return `  {\n${fields.map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`).join("")}  },\n`
  })
  const type = 'import type { PromptSource } from "../prompt-source.ts"\n'
  return `${head}\n${type}\nexport const prompts: readonly PromptSource[] = [\n${entries.join("")}]\n`
}

function indexModule(byFolder: ReadonlyMap<string, readonly PromptSource[]>): string {
  const entries = [...byFolder].map(([name, sources]) => {
    const files = JSON.stringify(sources.map(({ path }) => path.slice(name.length + 1)))
    const module = JSON.stringify(moduleName(name))
    return `  ${JSON.stringify(name)}: { module: ${module}, files: ${files}, load: () => import(${JSON.stringify(`./${moduleName(name)}.ts`)}) },\n`
  })
  return `${head}\n${folderType}\nexport const shippedFolders: Readonly<Record<string, ShippedFolder>> = {\n${entries.join("")}}\n`
}

const folderType = `import type { PromptSource } from "../prompt-source.ts"

/** A folder of shipped prompts in one locale: the module that holds its files, and their names relative to the folder. */
export interface ShippedFolder {
  readonly module: string
  readonly files: readonly string[]
  load(): Promise<{ readonly prompts: readonly PromptSource[] }>
}
`

function moduleName(folder: string): string {
  return folder.replace("/", ".")
}

function write(): void {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const [name, text] of compilePrompts()) writeFileSync(join(target, name), text)
}

/** True where the modules were made after the last change of a prompt, of a folder of prompts, and of this file. */
function isUpToDate(): boolean {
  const index = join(target, "folders.ts")
  if (!existsSync(index)) return false
  const madeMs = statSync(index).mtimeMs
  const sources = readdirSync(prompts, { recursive: true, encoding: "utf8" }).map((path) => join(prompts, path))
  return [fileURLToPath(import.meta.url), prompts, ...sources].every((path) => statSync(path).mtimeMs < madeMs)
}

/** The modules as they lie there, to compare them with what would be written. */
export function writtenPrompts(): ReadonlyMap<string, string> {
  return new Map(readdirSync(target).map((name) => [name, readFileSync(join(target, name), "utf8")]))
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(process.argv.includes("--if-older") && isUpToDate())) write()
