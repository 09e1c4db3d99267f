// Writes prompts/**/*.{md,txt} as modules into src/dialect/shipped-prompts/, one for each folder and locale, so that assembling
// needs neither a disk nor YAML at run time and reads only the dialect that is used. The modules are not in git: every command
// that needs them runs this first. Contents are compared, because times say nothing in a copy; only what differs is written.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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

/** The locales of a folder mostly have the same files, so that a list of names is written once. A program reads all of these lists. */
function indexModule(byFolder: ReadonlyMap<string, readonly PromptSource[]>): string {
  const lists = new Map<string, string>()
  const entries = [...byFolder].map(([name, sources]) => {
    const files = JSON.stringify(sources.map(({ path }) => path.slice(name.length + 1).replace(/\.md$/, "")).join(" "))
    const list = lists.get(files) ?? `list${lists.size + 1}`
    lists.set(files, list)
    const module = JSON.stringify(`./${moduleName(name)}.ts`)
    return `  ${JSON.stringify(name)}: { files: ${list}, load: () => import(${module}) },\n`
  })
  const declared = [...lists].map(([files, list]) => `const ${list} = filesOf(${files})\n`).join("")
  return `${head}\n${folderType}\n${declared}\nexport const shippedFolders: Readonly<Record<string, ShippedFolder>> = {\n${entries.join("")}}\n`
}

const folderType = `import type { PromptSource } from "../prompt-source.ts"

/** A folder of shipped prompts in one locale: the names of its files relative to the folder, and the module that holds them. */
export interface ShippedFolder {
  readonly files: readonly string[]
  load(): Promise<{ readonly prompts: readonly PromptSource[] }>
}

/** The files of a list of names. Most end in .md, which the list leaves out. */
function filesOf(names: string): string[] {
  return names.split(" ").map((name) => (name.endsWith(".txt") ? name : name + ".md"))
}
`

/** The module of `fay/en` is `fay.en`; `shipped.ts` finds it by this name. */
function moduleName(folder: string): string {
  return folder.replace("/", ".")
}

/** Makes the folder hold exactly these modules. */
export function writeModules(modules: ReadonlyMap<string, string>, folder: string = target): void {
  mkdirSync(folder, { recursive: true })
  const written = writtenPrompts(folder)
  for (const name of written.keys()) if (!modules.has(name)) rmSync(join(folder, name))
  for (const [name, text] of modules) if (written.get(name) !== text) writeFileSync(join(folder, name), text)
}

/** The modules as they lie there, to compare them with what would be written. */
export function writtenPrompts(folder: string = target): ReadonlyMap<string, string> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeModules(compilePrompts())
