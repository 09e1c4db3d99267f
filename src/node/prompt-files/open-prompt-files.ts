import { existsSync, readFileSync, realpathSync } from "node:fs"
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path"
import { invariant } from "../../core/errors.ts"
import type { Profile } from "../../profile/profile.ts"
import type { ProfileChange, PromptFiles, PromptText, SavedPrompt, SourceFile } from "../../profile/prompt-files.ts"
import { FileLog, withFileLog } from "../file-log.ts"
import { promptsFolderOf } from "../find-text.ts"
import { type LoadProfileOptions, readAllTexts, readProfile } from "../profile/load-profile.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath, shippedProfilesFolder, shippedPromptsFolder, within } from "../shipped-files.ts"
import { fileError } from "../workspace/file-errors.ts"
import { openFolder } from "../workspace/open-workspace.ts"
import { contentHash } from "../workspace/text-encoding.ts"
import type { FileWorkspace } from "../workspace/workspace.ts"

/** The author of saves and undos. */
const author = "inspector"

/** The author of a profile's change that lets it name the folder of copies. */
const overlayAuthor = "inspector overlay"

/** The endings of files that a person can edit. */
const editable: ReadonlySet<string> = new Set([".md", ".txt", ".toml"])

/** A file of the profile with its place on the disk. */
interface FileAtPlace extends SourceFile {
  readonly place: string
}

/** The files of the profile of a name or path. Nothing is read before the first call. */
export class ProfileFiles implements PromptFiles {
  readonly #opened: string
  readonly #options: LoadProfileOptions
  #profile: EditedProfile | undefined
  #files: readonly FileAtPlace[] = []

  constructor(opened: string, options: LoadProfileOptions) {
    this.#opened = opened
    this.#options = { ...options, onWarning: () => undefined }
  }

  async list(): Promise<readonly SourceFile[]> {
    return (await this.#find()).map(({ place: _, ...file }) => file)
  }

  async read(path: string): Promise<PromptText> {
    const file = await this.#fileOf(path)
    const text = readTextFile(file.place, path)
    const hash = contentHash(readFileSync(file.place))
    return { text, hash, canUndo: !file.isShipped && file.savedAs !== undefined && (await this.#isOurs(file, hash)) }
  }

  async save(path: string, text: string, { hash }: { readonly hash: string }): Promise<SavedPrompt> {
    const file = await this.#fileOf(path)
    const target = await this.#targetOf(file)
    const { workspace } = target
    if (file.isShipped && contentHash(readFileSync(file.place)) !== hash)
      throw fileError("file-conflict", path, "expected the file as it was read, found that it changed since.")
    const saved = await workspace.write(target.path, text, { by: author, expect: file.isShipped ? "absent" : { hash } })
    const written = [saved.path, ...(file.isShipped && file.kind !== "profile" ? await this.#nameFolder(workspace) : [])]
    const now = (await this.#find()).find(({ place }) => place === join(workspace.root, saved.path))
    if (now) return { path: now.path, written: written.map((each) => displayPath(join(workspace.root, each))) }
    for (const each of written.toReversed()) await workspace.undo({ path: each, by: author })
    await this.#find()
    throw fileError("file", path, "expected the profile to read the file that was saved, found that it reads another one.", {
      hint: "Nothing was changed. Edit the file in an editor.",
    })
  }

  async undo(path: string): Promise<SavedPrompt> {
    const file = await this.#fileOf(path)
    const { workspace, path: inside } = await this.#targetOf(file)
    const undone = await workspace.undo({ path: inside, by: author })
    const written = [undone.path, ...(undone.hash === undefined ? await this.#dropFolder(workspace) : [])]
    const files = await this.#find()
    const now = files.find(({ place }) => place === file.place) ?? files.find(({ savedAs }) => savedAs === path)
    return { path: now?.path ?? path, written: written.map((each) => displayPath(join(workspace.root, each))) }
  }

  async load({ profile, dialect, files = {} }: ProfileChange): Promise<Profile> {
    const edited = new Map<string, string>()
    for (const [path, text] of Object.entries(files)) edited.set((await this.#fileOf(path)).place, text)
    return withFileLog(new FileLog(edited), () => readProfile(profile ?? this.#opened, this.#options, { dialect }))
  }

  /** Finds the files anew. Of a profile that is broken now, those that were known stay. */
  async #find(): Promise<readonly FileAtPlace[]> {
    const log = new FileLog(new Map())
    try {
      const read = await withFileLog(log, () => readAllTexts(this.#opened, this.#options))
      this.#profile = { opened: this.#opened, ...read }
    } catch (error) {
      if (!this.#profile) throw error
      for (const { place, kind } of this.#files) if (existsSync(place)) log.texts.set(place, kind)
    }
    const profile = this.#profile
    const names = new Set<string>()
    this.#files = [...log.texts].flatMap(([place, kind]): FileAtPlace[] => {
      if (!editable.has(extname(place))) return []
      const name = displayPath(place)
      // A profile may extend the shipped one of its name.
      const path = names.has(name) ? `${name} (shipped)` : name
      names.add(path)
      const { path: inside, refusal } = savePlace(place, profile)
      const savedAs = inside === undefined ? undefined : displayPath(join(rootOf(profile), inside))
      return [{ path, kind, isShipped: isShipped(place), savedAs, refusal, place }]
    })
    return this.#files
  }

  async #fileOf(path: string): Promise<FileAtPlace> {
    const named = (files: readonly FileAtPlace[]) => files.find((file) => file.path === path)
    const found = named(this.#files) ?? named(await this.#find())
    if (found) return found
    throw fileError("file-missing", path, "expected a file that the profile reads, found none of this name.")
  }

  /** The workspace in which a file is saved, and its path there. */
  async #targetOf({ path: name, place }: FileAtPlace) {
    invariant(this.#profile, "a file was found of a profile")
    const { path, refusal } = savePlace(place, this.#profile)
    if (path === undefined) throw fileError("file-outside", name, `cannot be saved. ${refusal}`)
    return { workspace: await openFolder(rootOf(this.#profile)), path }
  }

  /** True if the last recorded change of a file was made here, and the file is as that left it. */
  async #isOurs(file: FileAtPlace, hash: string): Promise<boolean> {
    const { workspace, path } = await this.#targetOf(file)
    const [last] = await workspace.history({ path, limit: 1 })
    return last?.by === author && last.afterHash === hash
  }

  /** Lets the profile name the folder of copies. Returns the profile's path if it had to be written. */
  async #nameFolder(workspace: FileWorkspace): Promise<string[]> {
    invariant(this.#profile, "a file was found of a profile")
    const [nearest = ""] = this.#profile.chain
    if (this.#profile.folder !== undefined) return []
    const name = basename(nearest, ".toml")
    const own = isShipped(nearest) ? join(workspace.root, "profiles", `${name}.toml`) : nearest
    const folder = relative(dirname(own), overlayOf(this.#profile)).split(sep).join("/")
    const path = relative(workspace.root, own).split(sep).join("/")
    await workspace.update(path, (file) => withFolder(file?.text, name, folder), { by: overlayAuthor })
    return [path]
  }

  /** Takes back that the profile names the folder of copies, once no copy is left in it. Returns the paths that were written. */
  async #dropFolder(workspace: FileWorkspace): Promise<string[]> {
    const records = await workspace.history()
    const made = records.find(({ by }) => by === overlayAuthor)
    if (!made) return []
    const current = await workspace.read(made.path).catch(() => undefined)
    if (current?.hash !== made.afterHash) return []
    const copies = records.filter(
      ({ by, beforeHash, undoes }) => by === author && beforeHash === undefined && undoes === undefined,
    )
    for (const { path } of copies) if (await workspace.stat(path)) return []
    await workspace.undo({ id: made.id, path: made.path, by: author })
    return [made.path]
  }
}

/** A profile that is edited: where its own files may be written. */
interface EditedProfile {
  /** The name or path by which it was opened. */
  readonly opened: string
  /** The paths of its chain, nearest first. */
  readonly chain: readonly string[]
  /** Its `[prompt] folder`. */
  readonly folder: string | undefined
}

/** The place in which a save writes, from the root on, with `/`; or the reason why there is none. */
type SavePlace = { readonly path: string; readonly refusal?: undefined } | { readonly path?: undefined; readonly refusal: string }

/** The folder in which files may be written: of a profile in `profiles` the folder around that, else its own; of a shipped one the process's. */
function rootOf({ chain: [nearest = ""] }: EditedProfile): string {
  return realPath(isIn(shippedProfilesFolder, nearest) ? process.cwd() : dirname(promptsFolderOf(nearest)))
}

/** The folder of the copies of shipped prompts. */
function overlayOf(profile: EditedProfile): string {
  return profile.folder ?? join(rootOf(profile), "prompts")
}

/** True for a file of the package. */
function isShipped(path: string): boolean {
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
