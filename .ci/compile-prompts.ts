// Writes prompts/**/*.{md,txt} as modules into src/prompt/dialect/shipped-prompts/, one for each folder and locale, so that assembling
// needs neither a disk nor YAML at run time and reads only the dialect that is used. Folders of dialects are also written
// compiled, so that no template is parsed then. The modules are not in git: every command that needs them runs this first. Contents are compared, because times say nothing in a copy; only what differs is written.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { loadPrompts } from "../src/node/load-prompts.ts"
import { compileFiles } from "../src/prompt/dialect/compile-dialect.ts"
import { type CompiledFile, isBackground } from "../src/prompt/dialect/dialect.ts"
import { background, shared } from "../src/prompt/dialect/dialect-locale.ts"
import { isLocale } from "../src/prompt/dialect/locales.ts"
import { headingsOf } from "../src/prompt/dialect/markers.ts"
import { dialectFiles } from "../src/prompt/dialect/prompt-library.ts"
import { type PromptSource, promptKinds, promptName } from "../src/prompt/dialect/prompt-source.ts"
import { packFiles } from "./pack-files.ts"
import { shippedPromptsFolder } from "./rooms.ts"

const prompts = fileURLToPath(new URL("../prompts/", import.meta.url))
const target = fileURLToPath(new URL(`../${shippedPromptsFolder}/`, import.meta.url))
const head = "// Generated from prompts/ by `npm run prompts`."

/** The generated modules by file name: one or two for each folder and locale, and a list of them. */
export function compilePrompts(folder: string = prompts): ReadonlyMap<string, string> {
  const byFolder = Map.groupBy(loadPrompts(folder, { shownAs: "" }), ({ path }) => path.split("/").slice(0, 2).join("/"))
  const modules = [...byFolder].map(([name, sources]) => [`${moduleName(name)}.ts`, folderModule(sources)] as const)
  const packed = [...packedFolders(byFolder)].map(
    ([name, files]) => [`packed.${moduleName(name)}.ts`, packedModule(files)] as const,
  )
  // Not made from prompts. It stands here because the build makes each file of this folder one that can be read synchronously.
  const looks = ["look-alikes.ts", `${head}\nexport { looks } from "../../encode/look-alikes.ts"\n`] as const
  const lists = [["folders.ts", indexModule(byFolder)] as const, ["tool-folders.ts", toolsModule(byFolder)] as const]
  return new Map([...modules, ...packed, looks, ...lists])
}

type Folders = ReadonlyMap<string, readonly PromptSource[]>

/** The folders of dialects, and those whose files belong to all of them. */
function compiledFolders(byFolder: Folders): string[] {
  const names = [...dialectNames(byFolder), shared]
  return [...byFolder.keys()].filter((folder) => names.some((name) => folder.startsWith(`${name}/`)))
}

type Files = ReadonlyMap<string, CompiledFile>

/** The compiled files of each folder. Of the shared ones that no turn prints their headings stand there, and the files in a folder of their own. */
function packedFolders(byFolder: Folders): ReadonlyMap<string, Files> {
  const packed = new Map<string, Files>()
  for (const folder of compiledFolders(byFolder)) {
    const files = compiledFiles(folder, byFolder)
    packed.set(folder, files)
    const [name = "", locale = ""] = folder.split("/")
    if (name !== shared) continue
    const behind = new Map([...files].filter(([name, { file }]) => file && isBackground(name, file)))
    packed.set(`${background}/${locale}`, behind)
    const headings = [...behind].map(([name, { found }]) => [name, { file: undefined, found: headingsOf(found) }] as const)
    packed.set(folder, new Map([...files, ...headings]))
  }
  return packed
}

/** The files of a folder, compiled. Shared files load no others, so they are the same in every dialect. */
function compiledFiles(folder: string, byFolder: Folders): Files {
  const [name = "", locale = ""] = folder.split("/")
  const read = (other: string) => byFolder.get(other) ?? []
  const library = { folders: [...byFolder.keys()], dialects: dialectNames(byFolder), read }
  const load = name === shared ? undefined : dialectFiles(library, name, locale).load
  return compileFiles(read(folder), load)
}

/** Compiled files as a text. */
function packedModule(files: Files): string {
  return `${head}\nexport const packed = ${JSON.stringify(packFiles(files))}\n`
}

function folderModule(sources: readonly PromptSource[]): string {
  const entries = sources.map(({ path, attributes, body, firstLine }) => {
    const fields = Object.entries({ path, attributes, body, firstLine })
    return `  {\n${fields.map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`).join("")}  },\n`
  })
  const type = 'import type { PromptSource } from "../prompt-source.ts"\n'
  return `${head}\n${type}\nexport const prompts: readonly PromptSource[] = [\n${entries.join("")}]\n`
}

function loaders(names: readonly string[], prefix = ""): string {
  return names.map((name) => `  ${JSON.stringify(name)}: () => import("./${prefix}${moduleName(name)}.ts"),\n`).join("")
}

function indexModule(byFolder: Folders): string {
  const names = [...byFolder.keys()]
  const packed = packedFolders(byFolder)
  return `${head}
${folderTypes}
  ${JSON.stringify(dialectNames(byFolder))}

${foldersType}
  ${JSON.stringify(names)}

${packedType} = {
${loaders([...packed.keys()], "packed.")}}
`
}

/** Apart from the others, because a program without shipped tools needs none of them. */
function toolsModule(byFolder: Folders): string {
  const names = [...byFolder.keys()].filter((name) => name.startsWith("tools/"))
  return `${head}\n${toolsType} = {\n${loaders(names)}}\n`
}

/** The names of the dialects, sorted: folders that have a planner, a final or a chat prompt in some locale. */
export function dialectNames(byFolder: ReadonlyMap<string, readonly Pick<PromptSource, "path">[]>): string[] {
  const folders = [...byFolder].filter(([, sources]) => sources.some(({ path }) => promptKinds.includes(promptName(path))))
  const names = folders
    .map(([folder]) => folder.split("/"))
    .filter(([name, locale = ""]) => name !== "shared" && isLocale(locale))
  return [...new Set(names.map(([name = ""]) => name))].sort()
}

const folderTypes = `/** The names of the shipped dialects. */
export const shippedNames: readonly string[] =`

const foldersType = `/** The folders of shipped prompts in each locale. Each has a module. */
export const shippedFolders: readonly string[] =`

const toolsType = `import type { PromptSource } from "../prompt-source.ts"

/** The modules of the words of tools. */
export const toolFolders: Readonly<Record<string, () => Promise<{ readonly prompts: readonly PromptSource[] }>>>`

const packedType = `/** The modules of compiled files, of the folders that are dialects or belong to all of them, and of the prompts behind turns. */
export const packedFolders: Readonly<Record<string, () => Promise<{ readonly packed: string }>>>`

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
