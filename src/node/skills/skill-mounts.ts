import { basename, dirname } from "node:path"
import type { Skill } from "../../layers/skills/skill.ts"
import type { FileMount, ReadableWorkspace } from "../files/file-tool-options.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import { fileError } from "../workspace/file-errors.ts"
import { samePath } from "../workspace/paths.ts"
import { skillFiles } from "./skill-files.ts"

/** Lines that a search hands back at most. */
const defaultLimit = 100

/** A file that the outline list lets a model read: its path below the mount, and its own folder. */
interface ListedFile {
  readonly path: string
  readonly name: string
  readonly folder: ReadableWorkspace
}

/**
 * The files of the outline skills as folders that `read` finds under the paths the model is told (L5): nothing beside what is
 * listed, and nothing is ever written.
 */
export function skillMounts(skills: readonly Skill[]): readonly FileMount[] {
  const byPrefix = new Map<string, ListedFile[]>()
  const folders = new Map<string, ReadableWorkspace>()
  for (const [path, file] of skillFiles(skills)) {
    const cut = mountEnd(path, skills)
    const folder = folders.get(dirname(file)) ?? workspaceOnDemand(dirname(file))
    folders.set(dirname(file), folder)
    const listed = { path: path.slice(cut + 1), name: basename(file), folder }
    byPrefix.set(path.slice(0, cut), [...(byPrefix.get(path.slice(0, cut)) ?? []), listed])
  }
  return [...byPrefix].map(([prefix, files]) => ({ prefix, workspace: listedFiles(files) }))
}

/** A mount is the folder a skill's own file lies in; what lies deeper belongs to it. */
function mountEnd(path: string, skills: readonly Skill[]): number {
  const ends = skills.flatMap(({ path: own = "" }) => {
    const end = own.lastIndexOf("/")
    return end > 0 && path.startsWith(own.slice(0, end + 1)) ? [end] : []
  })
  return ends.length === 0 ? path.lastIndexOf("/") : Math.min(...ends)
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
      for (const file of under(path)) {
        const found = await file.folder.search(text, { ...options, path: file.name })
        matches.push(...found.matches.map((match) => ({ ...match, path: file.path })))
      }
      return { matches: matches.slice(0, limit), truncated: matches.length > limit, skipped: [] }
    },
  }
}

function at<T extends { readonly path: string }>({ path }: ListedFile, entry: T | undefined): T | undefined {
  return entry && { ...entry, path }
}
