import { basename, dirname, join } from "node:path"
import type { Skill } from "../../prompt/layers/skills.ts"
import type { FileMount, ReadableWorkspace } from "../files/file-tool-options.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import { fileError } from "../workspace/file-errors.ts"
import { samePath } from "../workspace/paths.ts"

/** The most lines that a search returns unless it asks for another number. */
const defaultLimit = 100

/**
 * Mounts the files of the outline skills, so that `read` finds them under the paths that the model is given (L5). Only the listed
 * files can be read, and nothing can be written.
 */
export function skillMounts(skills: readonly Skill[]): readonly FileMount[] {
  const byPrefix = new Map<string, ListedFile[]>()
  const folders = new Map<string, ReadableWorkspace>()
  for (const [path, file] of skillFiles(skills)) {
    const end = mountEnd(path, skills)
    const folder = folders.get(dirname(file)) ?? workspaceOnDemand(dirname(file))
    folders.set(dirname(file), folder)
    const listed = byPrefix.get(path.slice(0, end)) ?? []
    listed.push({ path: path.slice(end + 1), name: basename(file), folder })
    byPrefix.set(path.slice(0, end), listed)
  }
  return [...byPrefix].map(([prefix, files]) => ({ prefix, workspace: listedFiles(files) }))
}

/**
 * The files that the outline list lets a model read, from the path that the model is given to the file on disk: each outline
 * skill's own file and every file of its folder, scripts as text too (L5). Inline skills are in the prompt already.
 */
export function skillFiles(skills: readonly Skill[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const { mode, path, file, resources } of skills) {
    if (mode !== "outline" || path === undefined || file === undefined) continue
    files.set(path, file)
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    for (const resource of resources) files.set(`${folder}${resource}`, join(dirname(file), resource))
  }
  return files
}

/** The length of a path's mount: the outermost folder around it that holds a skill's own file, else its own folder. */
function mountEnd(path: string, skills: readonly Skill[]): number {
  const ends = skills.flatMap(({ path: own = "" }) => {
    const end = own.lastIndexOf("/")
    return end > 0 && path.startsWith(own.slice(0, end + 1)) ? [end] : []
  })
  return ends.length === 0 ? path.lastIndexOf("/") : Math.min(...ends)
}

/** A file that the outline list lets a model read. */
interface ListedFile {
  /** The path below the mount. */
  readonly path: string
  /** The file's name in its own folder on disk. */
  readonly name: string
  readonly folder: ReadableWorkspace
}

function listedFiles(files: readonly ListedFile[]): ReadableWorkspace {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  const find = (path: string) => sorted.find((file) => samePath(file.path, path))
  const under = (path: string) =>
    sorted.filter((file) => path === "" || samePath(file.path, path) || file.path.startsWith(`${path}/`))
  return {
    async read(path, options) {
      const file = find(path)
      if (!file) throw fileError("file-missing", path, "expected a file of a skill, found none.")
      return { ...(await file.folder.read(file.name, options)), path: file.path }
    },
    async stat(path) {
      const file = find(path)
      if (file) return at(file, await file.folder.stat(file.name))
      return path === "" || under(path).length > 0 ? { path, kind: "folder", sizeBytes: 0, modifiedAtMs: 0 } : undefined
    },
    async list(path = "", { limit = 1_000 } = {}) {
      const found = await Promise.all(under(path).map(async (file) => at(file, await file.folder.stat(file.name))))
      const entries = found.filter((entry) => entry !== undefined)
      return { entries: entries.slice(0, limit), truncated: entries.length > limit }
    },
    async search(text, { path = "", limit = defaultLimit, ...options } = {}) {
      const matches: { path: string; line: number; text: string }[] = []
      const skipped: string[] = []
      let truncated = false
      for (const file of under(path)) {
        // A file may be gone since its skill was read.
        const isThere = (await file.folder.stat(file.name)) !== undefined
        const found = isThere ? await file.folder.search(text, { ...options, limit, path: file.name }) : undefined
        if (found === undefined || found.skipped.length > 0) skipped.push(file.path)
        matches.push(...(found?.matches ?? []).map((match) => ({ ...match, path: file.path })))
        truncated ||= found?.truncated === true
      }
      return { matches: matches.slice(0, limit), truncated: truncated || matches.length > limit, skipped }
    },
  }
}

/** A file's entry under the path below the mount. */
function at<T extends { readonly path: string }>({ path }: ListedFile, entry: T | undefined): T | undefined {
  return entry && { ...entry, path }
}
