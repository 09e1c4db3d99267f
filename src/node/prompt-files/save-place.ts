import { realpathSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { promptsFolderOf } from "../find-text.ts"
import { displayPath, shippedProfilesFolder, shippedPromptsFolder, within } from "../shipped-files.ts"

/** A profile that is edited: where its own files may be written. */
export interface EditedProfile {
  /** The name or path by which it was opened. */
  readonly opened: string
  /** The paths of its chain, nearest first. */
  readonly chain: readonly string[]
  /** Its `[prompt] folder`. */
  readonly folder: string | undefined
}

/** The place in which a save writes, from the root on, with `/`; or the reason why there is none. */
export type SavePlace =
  | { readonly path: string; readonly refusal?: undefined }
  | { readonly path?: undefined; readonly refusal: string }

/** The folder in which files may be written: of a profile in `profiles` the folder around that, else its own; of a shipped one the process's. */
export function rootOf({ chain: [nearest = ""] }: EditedProfile): string {
  return realPath(isIn(shippedProfilesFolder, nearest) ? process.cwd() : dirname(promptsFolderOf(nearest)))
}

/** The folder of the copies of shipped prompts. */
export function overlayOf(profile: EditedProfile): string {
  return profile.folder ?? join(rootOf(profile), "prompts")
}

/** True for a file of the package. */
export function isShipped(path: string): boolean {
  return isIn(shippedPromptsFolder, path) || isIn(shippedProfilesFolder, path)
}

/** Decides where a file is saved. */
export function savePlace(path: string, profile: EditedProfile): SavePlace {
  const root = rootOf(profile)
  const [nearest = ""] = profile.chain
  const target = isShipped(path) ? copyOf(path, profile) : realPath(path)
  if (typeof target !== "string") return target
  if (isShipped(target))
    return { refusal: "It belongs to the package, and this folder is the package. Open the profile from a folder of your own." }
  const inside = within(root, target)
  if (inside === undefined) return { refusal: `It is outside of ${root}, the folder of ${displayPath(nearest)}.` }
  return { path: inside.split(sep).join("/") }
}

/** The path of the copy of a shipped file. */
function copyOf(path: string, profile: EditedProfile): string | { readonly refusal: string } {
  const { opened, chain } = profile
  const [nearest = ""] = chain
  const isOwn = !isShipped(nearest)
  if (!isOwn && (/[\\/]/.test(opened) || opened.endsWith(".toml")))
    return { refusal: `It belongs to the package. Open the profile by its name, ${basename(nearest, ".toml")}, to save a copy.` }
  if (isIn(shippedPromptsFolder, path)) return join(overlayOf(profile), relative(shippedPromptsFolder, path))
  if (path === nearest) return join(rootOf(profile), "profiles", basename(path))
  return { refusal: `It belongs to the package. Set its keys in ${displayPath(nearest)} instead, which extends it.` }
}

/** The text of a profile that names a prompts folder: a new one that extends a shipped one, or one with a key more. */
export function withFolder(text: string | undefined, name: string, folder: string): string {
  const line = `folder = ${JSON.stringify(folder)} # copies of shipped prompts\n`
  if (text === undefined) return `extends = ${JSON.stringify(name)}\n\n[prompt]\n${line}`
  const table = /^\[prompt\][^\n]*\n/m.exec(text)
  if (!table) return `${text}${text.endsWith("\n") || text === "" ? "" : "\n"}\n[prompt]\n${line}`
  const end = table.index + table[0].length
  return text.slice(0, end) + line + text.slice(end)
}

/** A path with its links followed, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPath(above), basename(path))
  }
}

function isIn(folder: string, path: string): boolean {
  const [outer, inner] = [realPath(folder), realPath(resolve(path))]
  return outer === inner || within(outer, inner) !== undefined
}
