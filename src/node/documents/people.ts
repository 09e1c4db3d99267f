import { createHash } from "node:crypto"
import type { ServiceKey } from "../../core/conversation.ts"
import { type DocumentName, documentFiles } from "../../prompt/layers/documents/document.ts"
import type { WritableWorkspace } from "../files/file-tool-options.ts"
import { fileError } from "../workspace/file-errors.ts"
import { samePath } from "../workspace/paths.ts"
import type { SearchOutcome } from "../workspace/workspace.ts"

const people = "people"
const groups = "groups"
/** The user of a program that knows one person only, such as `promptstrata chat`. Their documents lie in the folder itself. */
const onlyUser = "user"

/** The documents of each user or group. The others are for all of them. */
const ownFiles = [documentFiles.user, documentFiles.memory]

type PersonKey = Pick<ServiceKey, "audience" | "user" | "conversation">

/**
 * The folder of the documents that belong to a user or a group, with a slash at its end; empty for the user `user`. A name that is no
 * plain word gets a hash of the whole, so that two names never share a folder.
 */
export function personalFolder({ audience, user, conversation }: PersonKey): string {
  if (audience === "private") return user === onlyUser ? "" : `${people}/${folderName(user)}/`
  return `${groups}/${folderName(conversation)}/`
}

/** The path of a user's or a group's document in the folder of all documents. */
export function pathOf(document: DocumentName, key: PersonKey): string {
  return (document === "soul" ? "" : personalFolder(key)) + documentFiles[document]
}

function folderName(name: string): string {
  if (/^[a-z0-9_]{1,40}$/.test(name)) return name
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "_")
    .slice(0, 24)
  return `${plain}-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`
}

/** True for a path of a user's or a group's folder, in any spelling. */
function isPersonal(path: string): boolean {
  const [first = ""] = path.split("/").filter((name) => name !== "" && name !== ".")
  return samePath(first, people) || samePath(first, groups)
}

/**
 * The folder of the documents as one user or group sees it: with their own USER.md and MEMORY.md at its top, and without those of
 * others, which can be neither read nor listed nor found.
 */
export function personalWorkspace(workspace: WritableWorkspace, folder: string): WritableWorkspace {
  const inside = (path: string): string => {
    const own = ownFiles.find((name) => samePath(path, name))
    if (own !== undefined) return folder + own
    if (isPersonal(path)) throw fileError("file-missing", path, "expected a file, found none.")
    return path
  }
  const outside = (path: string): string => (folder !== "" && path.startsWith(folder) ? path.slice(folder.length) : path)
  const isSeen = (path: string): boolean => {
    const own = ownFiles.find((name) => samePath(outside(path), name))
    return own === undefined ? !isPersonal(path) : path === folder + own
  }
  const asSeen = <T extends { readonly path: string }>(found: T): T => ({ ...found, path: outside(found.path) })
  const isTop = (path: string): boolean => folder !== "" && samePath(path, ".")
  return {
    async read(path, options) {
      const file = await workspace.read(inside(path), options)
      // A link could lead to the documents of others.
      if (!isSeen(file.path)) throw fileError("file-missing", path, "expected a file, found none.")
      return asSeen(file)
    },
    async stat(path) {
      const found = isPersonal(path) ? undefined : await workspace.stat(inside(path))
      return found && isSeen(found.path) ? asSeen(found) : undefined
    },
    resolve: async (path) => outside(await workspace.resolve(inside(path))),
    write: async (path, text, options) => asSeen(await workspace.write(inside(path), text, options)),
    async list(path = ".", options) {
      const listed = await workspace.list(inside(path), options)
      const own = isTop(path) ? await Promise.all(ownFiles.map((name) => workspace.stat(folder + name))) : []
      const entries = [...own.flatMap((entry) => entry ?? []), ...listed.entries]
      return { ...listed, entries: entries.filter((entry) => isSeen(entry.path)).map(asSeen) }
    },
    async search(text, options = {}) {
      const { path = ".", limit = 100 } = options
      if (!samePath(path, ".")) return searchIn(workspace, text, { ...options, path: inside(path), limit }, { isSeen, asSeen })
      // Folder by folder, because matches in documents of others would use up the limit.
      const { entries, truncated } = await workspace.list(".", { signal: options.signal })
      const places = [...ownFiles.map((name) => folder + name), ...entries.map((entry) => entry.path).filter(isSeen)]
      let found: SearchOutcome = { matches: [], skipped: [], truncated }
      for (const place of new Set(places)) {
        if (!(await workspace.stat(place))) continue
        const left = limit - found.matches.length
        const more = await searchIn(workspace, text, { ...options, path: place, limit: left }, { isSeen, asSeen })
        found = {
          matches: [...found.matches, ...more.matches],
          skipped: [...found.skipped, ...more.skipped],
          truncated: found.truncated || more.truncated,
        }
      }
      return found
    },
  }
}

/** Searches one place, and leaves out matches that a link leads to. */
async function searchIn(
  workspace: WritableWorkspace,
  text: string,
  options: NonNullable<Parameters<WritableWorkspace["search"]>[1]>,
  { isSeen, asSeen }: { isSeen: (path: string) => boolean; asSeen: <T extends { readonly path: string }>(found: T) => T },
): Promise<SearchOutcome> {
  const { matches, skipped, truncated } = await workspace.search(text, options)
  return { matches: matches.filter(({ path }) => isSeen(path)).map(asSeen), skipped: skipped.filter(isSeen), truncated }
}
