import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, extname, resolve } from "node:path"
import { messageOf } from "../../core/errors.ts"
import { didYouMean, suggest } from "../../core/suggest.ts"
import type { Plugin } from "../../services/plugin.ts"
import { isFolder } from "../file-log.ts"
import { lookedFor } from "../find-text.ts"
import { displayPath, displaySearched } from "../shipped-files.ts"
import { type BuiltinPluginOptions, builtinPlugin, builtinPluginNames } from "./builtin-plugins.ts"
import { importPlugin, type PluginRun } from "./import-plugin.ts"
import { findPackageEntry } from "./package-entry.ts"
import type { PluginOutcome, PluginProblem } from "./plugin-module.ts"
import { isPluginPath } from "./plugin-path.ts"

/** What one plugin is loaded with. */
export interface PluginSurroundings extends PluginRun, BuiltinPluginOptions {
  /** Made before from the same module, options and surroundings, by a key that names them all: a module's own plugin is made once. */
  readonly made?: Map<string, Plugin>
}

/** Loads one plugin: a built-in name, a path, or a package found from the profile's folder or the process's. Never rejects. */
export async function loadPlugin(name: string, surroundings: PluginSurroundings): Promise<PluginOutcome> {
  const { context, options, made } = surroundings
  try {
    const builtin = await builtinPlugin(name, surroundings)
    if (builtin !== undefined) return { plugin: builtin }
  } catch (error) {
    return { problem: { message: messageOf(error) } }
  }
  const module = isPluginPath(name) ? moduleAt(name, context.profileFolder) : packageModule(name, context.profileFolder)
  if (typeof module !== "string") return { problem: module }
  const { clock: _, ...place } = context
  const key = JSON.stringify([module, options, place])
  const kept = made?.get(key)
  if (kept !== undefined) return { plugin: kept }
  const outcome = await importPlugin(module, surroundings)
  if ("plugin" in outcome) made?.set(key, outcome.plugin)
  return outcome
}

function moduleAt(name: string, folder: string): string | PluginProblem {
  const path = resolve(folder, name)
  if (isFolder(path)) return { message: `expected a module's file, found a folder at ${displayPath(path)}.` }
  if (existsSync(path)) return path
  // Without endings, which all are alike.
  const stem = (file: string) => basename(file, extname(file))
  const near = suggest(stem(path), modulesIn(dirname(path)).map(stem))
  const hint = near === undefined ? "" : ` Did you mean ${modulesIn(dirname(path)).find((file) => stem(file) === near)}?`
  return { message: `expected a module, found none at ${displayPath(path)}.${hint}` }
}

function packageModule(name: string, folder: string): string | PluginProblem {
  const found = findPackageEntry(name, [folder, process.cwd()])
  if ("path" in found) return found.path
  if ("fault" in found)
    return { message: `expected a package that can be imported, found one at ${displayPath(found.folder)}, but ${found.fault}.` }
  const beside = [name, ...moduleEndings.map((ending) => name + ending)].find((file) => existsSync(resolve(folder, file)))
  const hint = beside === undefined ? didYouMean(name, builtinPluginNames) : ` Did you mean the file "./${beside}"?`
  const expected = `a built-in plugin (${builtinPluginNames.join(", ")}), a path such as "./mood.mjs" or an installed package`
  return {
    message: `expected ${expected}, found ${JSON.stringify(name)}.${hint}`,
    note: lookedFor(found.searched.map(displaySearched)),
  }
}

const moduleEndings = [".mjs", ".js", ".ts", ".mts", ".cjs"]

function modulesIn(folder: string): string[] {
  return isFolder(folder) ? readdirSync(folder).filter((file) => moduleEndings.includes(extname(file))) : []
}
