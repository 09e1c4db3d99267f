import { readFileSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { attempt } from "../core/errors.ts"

/**
 * The package's own folder: the nearest one upwards that holds its `package.json`, so that it is the same for a source file and for a
 * built chunk. In a program that was bundled into other files there is none; its files are then looked for beside the program.
 */
export const packageFolder: string = findPackageFolder()

/** The version of the package. */
export function packageVersion(): string {
  return manifestIn(packageFolder)?.version ?? ""
}

/** The folder of the shipped profiles. */
export const shippedProfilesFolder: string = resolve(packageFolder, "profiles")

/** The folder of the shipped prompts and personas. */
export const shippedPromptsFolder: string = resolve(packageFolder, "prompts")

/** The folder of the files that `promptstrata init` writes. */
export const shippedTemplatesFolder: string = resolve(packageFolder, "templates")

/**
 * A path as messages show it, parts joined by `/`. A shipped prompt is shown relative to `prompts/` and another shipped file
 * relative to the package, so that it is the same on every machine. A file in the process's folder is shown relative to that
 * folder, any other by its absolute path.
 */
export function displayPath(path: string): string {
  const profile = within(shippedProfilesFolder, path)
  const shown = within(shippedPromptsFolder, path) ?? (profile && `profiles/${profile}`) ?? within(process.cwd(), path) ?? path
  return shown.replaceAll(sep, "/")
}

/** A path in a list of places that were looked up. A path in the package is marked `(shipped)`. */
export function displaySearched(path: string): string {
  const shown = displayPath(path)
  if (within(shippedPromptsFolder, path) !== undefined) return `prompts/${shown} (shipped)`
  return within(shippedProfilesFolder, path) === undefined ? shown : `${shown} (shipped)`
}

/** The path relative to a folder; `undefined` for the folder itself and for every path outside. */
export function within(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  return inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? undefined : inside
}

function findPackageFolder(): string {
  const own = dirname(fileURLToPath(import.meta.url))
  for (let folder = own; ; folder = dirname(folder)) {
    if (manifestIn(folder)?.name === "promptstrata") return folder
    if (folder === dirname(folder)) return own
  }
}

function manifestIn(folder: string): { readonly name: string; readonly version: string } | undefined {
  return attempt(() => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), undefined)
}
