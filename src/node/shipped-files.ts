import { isAbsolute, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const packageFolder = fileURLToPath(new URL("../../", import.meta.url))

/** The folder of the shipped profiles. */
export const shippedProfilesFolder: string = resolve(packageFolder, "profiles")

/** The folder of the shipped prompts and personas. */
export const shippedPromptsFolder: string = resolve(packageFolder, "prompts")

/**
 * A path as people read it: a shipped file by its path in the package, or in `prompts/` for a prompt, so that it is the same on
 * every machine; another relative to where the process runs, if it is inside; else absolute. Parts are joined by `/`.
 */
export function displayPath(path: string): string {
  const shown =
    within(shippedPromptsFolder, path) ??
    prefixed("profiles", within(shippedProfilesFolder, path)) ??
    within(process.cwd(), path) ??
    path
  return shown.replaceAll(sep, "/")
}

/** A path in a list of places where something was looked for: what belongs to the package says so. */
export function displaySearched(path: string): string {
  const shipped =
    prefixed("prompts", within(shippedPromptsFolder, path)) ?? prefixed("profiles", within(shippedProfilesFolder, path))
  return shipped === undefined ? displayPath(path) : `${shipped.replaceAll(sep, "/")} (shipped)`
}

function within(folder: string, path: string): string | undefined {
  const way = relative(folder, path)
  return way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way
}

function prefixed(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : `${folder}/${path}`
}
