import { type Dirent, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { normalizeText } from "../template/scanner.ts"
import { noteFile } from "./file-log.ts"
import { parseFrontMatter } from "./front-matter.ts"
import { type FoundFile, findInRoots, isInRoots, shownPath } from "./prompt-roots.ts"
import { isMissing, readTextFile } from "./read-text-file.ts"

/**
 * Reads the prompt files of a folder and its subfolders, `.md` with front matter and `.txt` as they are, in order of their
 * paths. Files that begin with a dot and linked folders are passed over; a linked file must stay inside the folder. Paths
 * begin with the folder as given, or with `shownAs`, where `""` makes them relative.
 */
export function loadPrompts(folder: string, { shownAs = folder }: { readonly shownAs?: string } = {}): PromptSource[] {
  return promptPaths(folder, "")
    .sort()
    .map((path) => {
      const found = findInRoots(path, { folder, roots: [folder] })
      return readPrompt(found?.path ?? join(folder, path), shownPath(shownAs, path))
    })
}

/** Reads one prompt file: front matter for `.md`, at most 4 MiB of UTF-8. `shownAs` becomes its path. */
export function readPrompt(path: string, shownAs: string = path): PromptSource {
  const text = readTextFile(path, shownAs)
  if (!shownAs.endsWith(".md")) return { path: shownAs, attributes: {}, body: normalizeText(text), firstLine: 1 }
  return { path: shownAs, ...parseFrontMatter(text, shownAs) }
}

/**
 * Follows `file_load` on disk: a path is looked up beside the file that asks, where that lies inside the roots, then in each
 * root. Nothing outside the roots is read, be it by `..`, an absolute path or a symbolic link (R2). A `.md` file gives its body.
 */
export function fileLoader({ roots }: { readonly roots: readonly string[] }): TemplateLoader {
  return (path, from) => {
    const beside = isInRoots(from.file, roots) ? [dirname(from.file)] : []
    const found = search(path, { folders: [...beside, ...roots], roots })
    const { body, firstLine } = readPrompt(found.path, found.shownAs)
    return { text: body, file: found.shownAs, firstLine }
  }
}

/** The first folder that has the path; a path that leads outside counts only when no folder has it. */
function search(
  path: string,
  { folders, roots }: { readonly folders: readonly string[]; readonly roots: readonly string[] },
): FoundFile {
  let refused: unknown
  for (const folder of folders) {
    try {
      const found = findInRoots(path, { folder, roots })
      if (found) return found
    } catch (error) {
      refused = error
    }
  }
  if (refused !== undefined) throw refused
  throw new PromptStrataError(
    "prompt-missing",
    `no file of that path in ${roots.join(" or ") || "any folder: none was given"}.`,
    { evidence: { path, roots } },
  )
}

function promptPaths(folder: string, below: string): string[] {
  return entriesOf(join(folder, below)).flatMap((entry) => {
    if (entry.name.startsWith(".")) return []
    const path = below === "" ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) return promptPaths(folder, path)
    return /\.(?:md|txt)$/.test(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string): Dirent[] {
  noteFile(folder)
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const message = isMissing(error) ? "expected a folder of prompt files, found none." : `cannot be read: ${messageOf(error)}`
    throw new PromptStrataError(isMissing(error) ? "prompt-missing" : "file", `${folder}: ${message}`, { cause: error })
  }
}
