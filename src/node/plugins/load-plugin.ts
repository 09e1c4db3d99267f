import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, extname, isAbsolute, join, resolve, win32 } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { messageOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { late } from "../../core/late.ts"
import type { Timers } from "../../core/ports.ts"
import { didYouMean, suggest } from "../../core/suggest.ts"
import { type Ending, within } from "../../core/timers.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { isFolder } from "../file-log.ts"
import { lookedFor } from "../find-text.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath, displaySearched } from "../shipped-files.ts"
import { loadSkills } from "../skills/load-skills.ts"
import { checkPlugin } from "./check-plugin.ts"
import type { PluginContext, PluginOutcome, PluginProblem } from "./plugin-module.ts"

/** The module of a package; if there is none, the folders that were searched, or the fault of the package that was found. */
type PackageEntry =
  | { readonly path: string }
  | { readonly searched: readonly string[] }
  | { readonly folder: string; readonly fault: string }

/**
 * Finds the module that `import` would load for a name such as `pkg`, `@scope/pkg` or `pkg/part`. The importing file is taken to
 * be in the first of `folders` that has the package in a `node_modules` in it or above it. Node resolves packages only from the
 * place of the running module, so its rules are repeated here.
 */
export function findPackageEntry(name: string, folders: readonly string[]): PackageEntry {
  const parts = name.split("/")
  const packageName = parts.splice(0, name.startsWith("@") ? 2 : 1).join("/")
  const searched = [...new Set(folders.flatMap((folder) => modulesAbove(folder)))]
  const folder = searched.map((modules) => join(modules, packageName)).find(isFolder)
  if (folder === undefined) return { searched }
  try {
    const path = entryOf(folder, ["."].concat(parts).join("/"))
    return path === undefined ? { folder, fault: `its package.json names no module for ${JSON.stringify(name)}` } : { path }
  } catch {
    return { folder, fault: "its package.json cannot be read as JSON" }
  }
}

/** The `node_modules` folders of a module in `folder`, the nearest first. */
function modulesAbove(folder: string): string[] {
  const above = dirname(folder)
  const own = basename(folder) === "node_modules" ? [] : [join(folder, "node_modules")]
  return above === folder ? own : [...own, ...modulesAbove(above)]
}

function entryOf(folder: string, subpath: string): string | undefined {
  const manifest: unknown = existsSync(join(folder, "package.json")) ? JSON.parse(readTextFile(join(folder, "package.json"))) : {}
  const { exports, main } = Object(manifest) as { readonly exports?: unknown; readonly main?: unknown }
  if (exports !== undefined && exports !== null) {
    const target = exportedPath(exports, subpath)
    return target === undefined ? undefined : resolve(folder, target)
  }
  if (subpath !== ".") return existingFile(resolve(folder, subpath), [""])
  const named = typeof main === "string" ? existingFile(resolve(folder, main), ["", ".js", "/index.js"]) : undefined
  return named ?? existingFile(resolve(folder, "index"), [".js"])
}

function existingFile(path: string, endings: readonly string[]): string | undefined {
  return endings.map((ending) => path + ending).find((candidate) => existsSync(candidate) && !isFolder(candidate))
}

/** The conditions that hold for an `import` in Node. */
const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"])

/**
 * The path in a package that its `exports` gives for a subpath (`.` or `./part`). Exact keys go before patterns, and the first
 * condition that holds wins. `undefined` if it gives none, or one outside the package.
 */
export function exportedPath(exports: unknown, subpath: string): string | undefined {
  const hasSubpaths = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  const paths = hasSubpaths ? exports : { ".": exports }
  if (!subpath.includes("*") && Object.hasOwn(paths, subpath)) return targetOf(paths[subpath], "")
  const [pattern] = Object.keys(paths)
    .filter((key) => matches(key, subpath))
    .sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length)
  if (pattern === undefined) return undefined
  const [head = "", tail = ""] = pattern.split("*")
  return targetOf(paths[pattern], subpath.slice(head.length, subpath.length - tail.length))
}

function matches(key: string, subpath: string): boolean {
  const [head = "", tail, ...more] = key.split("*")
  return (
    tail !== undefined && more.length === 0 && subpath.length >= key.length && subpath.startsWith(head) && subpath.endsWith(tail)
  )
}

function targetOf(target: unknown, star: string): string | undefined {
  if (typeof target === "string") {
    const path = target.replaceAll("*", star)
    return target.startsWith("./") && !path.split(/[\\/]/).includes("..") ? path : undefined
  }
  const choices = isRecord(target)
    ? Object.keys(target)
        .filter((key) => conditions.has(key))
        .map((key) => target[key])
    : target
  for (const choice of Array.isArray(choices) ? choices : []) {
    const path = targetOf(choice, star)
    if (path !== undefined) return path
  }
  return undefined
}

/** The values that one plugin is made from. */
export interface LoadPluginOptions {
  /** The plugin's own options; `{}` if it has none. */
  readonly options: Readonly<Record<string, unknown>>
  readonly context: PluginContext
  /** Folders laid out as the shipped `prompts/`, searched before the shipped one. A skill in them replaces the built-in plugin's of that name. */
  readonly promptFolders: readonly string[]
  /** The file of the agent's persona. */
  readonly persona?: string | undefined
  /** The time limit for a module to load, and again for its function to return. */
  readonly timeoutMs: number
  readonly timers: Timers
  /** Plugins of modules by module, options and context. A plugin that is in it is not made again; a new one is added. */
  readonly made?: Map<string, Plugin> | undefined
}

/** Loads one plugin: a built-in name, a path, or a package that is found from the profile's folder or the process's. Never rejects. */
export async function loadPlugin(name: string, given: LoadPluginOptions): Promise<PluginOutcome> {
  const { context, options, made } = given
  try {
    const make = builtinPlugins.get(name)
    if (make !== undefined) return { plugin: await make(name, given) }
  } catch (error) {
    return { problem: { message: messageOf(error) } }
  }
  const module = isPluginPath(name) ? moduleAt(name, context.profileFolder) : packageModule(name, context.profileFolder)
  if (typeof module !== "string") return { problem: module }
  const { clock: _, ...place } = context
  const key = JSON.stringify([module, options, place])
  const kept = made?.get(key)
  if (kept !== undefined) return { plugin: kept }
  const outcome = await importPlugin(module, given)
  if ("plugin" in outcome) made?.set(key, outcome.plugin)
  return outcome
}

type MakePlugin = (name: string, given: LoadPluginOptions) => Plugin | Promise<Plugin>

/** A plugin of one shipped skill. Its tools are made where the plugins come together (L11). */
const skillPlugin: MakePlugin = async (name, { context: { locale }, promptFolders }) => ({
  name,
  skills: await loadSkills([name], { locale, promptFolders }),
})

/** The names of the tools that built-in plugins of skills use, so that a diary can be written. */
export function skillPluginTools(plugins: readonly Plugin[]): string[] {
  const ofSkills = plugins.filter(({ name }) => builtinPlugins.get(name) === skillPlugin)
  return ofSkills.flatMap(({ skills = [] }) => skills.flatMap(({ allowedTools }) => allowedTools))
}

/** Characters and lorebooks, which need zod. */
export const loadCharacters = late(() => import("../character/character-plugin.ts"))

const builtinPlugins: ReadonlyMap<string, MakePlugin> = new Map(
  Object.entries<MakePlugin>({
    async character(_name, { options, promptFolders, persona, context: { locale, profileFolder } }) {
      const { characterPlugin } = await loadCharacters()
      return characterPlugin(options, { locale, promptFolders, persona, folder: profileFolder })
    },
    diary: skillPlugin,
    "file-navigation": skillPlugin,
    async lorebook(_name, { options, context: { locale, profileFolder } }) {
      const { optionedLorebook } = await loadCharacters()
      return optionedLorebook(options, { locale, folder: profileFolder })
    },
    // An empty plugin: `loadProfile` turns recall on when it finds it (L8).
    memory: (name) => ({ name }),
  }),
)

const builtinNames: readonly string[] = [...builtinPlugins.keys()].sort()

/** True for a name that is a path: `./mood.mjs`, `../mood.mjs`, or an absolute path of any system. */
function isPluginPath(name: string): boolean {
  return /^\.{1,2}[\\/]/.test(name) || isAbsolute(name) || win32.isAbsolute(name)
}

/** The names under which a plugin's options can be given: its name in `enabled`, and a path's file name without its ending. */
export function optionNames(enabled: string): string[] {
  if (!isPluginPath(enabled)) return [enabled]
  const file = basename(win32.basename(enabled))
  return [enabled, file.slice(0, file.length - extname(file).length)]
}

type Options = Readonly<Record<string, unknown>>

/** A copy of a plugin's own options; `{}` if it has none. */
export function pluginOptions(enabled: string, all: Readonly<Record<string, Options>>): Options {
  const name = optionNames(enabled).find((candidate) => Object.hasOwn(all, candidate))
  // The tables of a TOML file have no prototype. The copy is an ordinary object, which modules expect.
  return structuredClone(name === undefined ? {} : (all[name] ?? {}))
}

function moduleAt(name: string, folder: string): string | PluginProblem {
  const path = resolve(folder, name)
  if (isFolder(path)) return { message: `expected a module's file, found a folder at ${displayPath(path)}.` }
  if (existsSync(path)) return path
  // Compared without endings, as those are all alike.
  const stem = (file: string) => basename(file, extname(file))
  const beside = isFolder(dirname(path)) ? readdirSync(dirname(path)) : []
  const modules = beside.filter((file) => moduleEndings.includes(extname(file)))
  const near = suggest(stem(path), modules.map(stem))
  const hint = near === undefined ? "" : ` Did you mean ${modules.find((file) => stem(file) === near)}?`
  return { message: `expected a module, found none at ${displayPath(path)}.${hint}` }
}

const moduleEndings = [".mjs", ".js", ".ts", ".mts", ".cjs"]

function packageModule(name: string, folder: string): string | PluginProblem {
  const found = findPackageEntry(name, [folder, process.cwd()])
  if ("path" in found) return found.path
  if ("fault" in found)
    return { message: `expected a package that can be imported, found one at ${displayPath(found.folder)}, but ${found.fault}.` }
  const beside = [name, ...moduleEndings.map((ending) => name + ending)].find((file) => existsSync(resolve(folder, file)))
  const hint = beside === undefined ? didYouMean(name, builtinNames) : ` Did you mean the file "./${beside}"?`
  const expected = `a built-in plugin (${builtinNames.join(", ")}), a path such as "./mood.mjs" or an installed package`
  return {
    message: `expected ${expected}, found ${JSON.stringify(name)}.${hint}`,
    note: lookedFor(found.searched.map(displaySearched)),
  }
}

/** Loads a plugin's module and makes the plugin. A mistake of the module is a problem. Never rejects. */
async function importPlugin(path: string, run: LoadPluginOptions): Promise<PluginOutcome> {
  const file = displayPath(path)
  const url = pathToFileURL(path).href
  const { timeoutMs, timers } = run
  const limited = <T>(task: () => T | Promise<T>) => within({ timeoutMs, timers }, task)
  const loaded = await limited(async () => ({ ...((await import(url)) as Readonly<Record<string, unknown>>) }))
  if (loaded.status !== "done")
    return { problem: failure(`expected a module that loads, but ${file}`, loaded, { url, timeoutMs }) }
  const exported = loaded.value.plugin ?? loaded.value.default
  if (exported === undefined) return { problem: { message: nothingExported(file, Object.keys(loaded.value)) } }
  if (typeof exported !== "function") return checkPlugin(exported, file)
  const made = await limited(() => (exported as (...given: unknown[]) => unknown)(run.options, run.context))
  if (made.status !== "done")
    return { problem: failure(`expected a plugin, but the function of ${file}`, made, { url, timeoutMs }) }
  return checkPlugin(made.value, file)
}

function failure(what: string, outcome: Ending<unknown>, { url, timeoutMs }: { url: string; timeoutMs: number }): PluginProblem {
  if (outcome.status !== "failed") return { message: `${what} was not done after ${timeoutMs} ms.` }
  const message = `${what} threw: ${messageOf(outcome.error)}`
  const place = placeIn(outcome.error, url)
  return place === undefined ? { message } : { message, note: `Thrown at ${place}.` }
}

/** The place in the plugin's own file at which an error was thrown, `file:line:column`, taken from the error's stack. */
function placeIn(error: unknown, url: string): string | undefined {
  const stack = error instanceof Error ? String(error.stack) : ""
  const path = fileURLToPath(url)
  const name = [url, path].find((spelling) => stack.includes(`${spelling}:`))
  if (name === undefined) return undefined
  const start = stack.indexOf(`${name}:`) + name.length
  const place = /^(?::\d+){1,2}/.exec(stack.slice(start, start + 30))?.[0]
  return place === undefined ? undefined : `${displayPath(path)}${place}`
}

function nothingExported(file: string, exported: readonly string[]): string {
  const found = exported.length === 0 ? "no exports" : `only ${exported.slice(0, 10).join(", ")}`
  const near = exported.find((name) => didYouMean(name, ["plugin"]) !== "")
  const hint = near === undefined ? "" : ` Did you mean to call ${near} plugin?`
  return `expected ${file} to export plugin, an object or a function, or to export it as default, found ${found}.${hint}`
}
