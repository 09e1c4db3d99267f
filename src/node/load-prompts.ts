import { type Dirent, readdirSync, realpathSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import type { TemplateLoader } from "../prompt/template/parse.ts"
import { normalizeText } from "../prompt/template/scanner.ts"
import { noteFile } from "./file-log.ts"
import { parseFrontMatter } from "./front-matter.ts"
import { isAbsent, readTextFile } from "./read-text-file.ts"
import { within } from "./shipped-files.ts"

/**
 * Reads the prompt files of a folder and its subfolders, sorted by path: `.md` with front matter, `.txt` as it is. Files whose
 * names begin with a dot, and linked folders, are left out. A linked file must lead inside the folder. Paths begin with the folder
 * as given, or with `shownAs`; `""` makes them relative.
 */
export function loadPrompts(folder: string, { shownAs = folder }: { readonly shownAs?: string } = {}): PromptSource[] {
  return promptPaths(folder, "")
    .sort()
    .map((path) => {
      const found = findInRoots(path, { folder, roots: [folder] })
      return readPrompt(found?.path ?? join(folder, path), shownPath(shownAs, path))
    })
}

/** Reads one prompt file of at most 4 MiB of UTF-8. `shownAs` becomes its path. */
export function readPrompt(path: string, shownAs: string = path): PromptSource {
  return parsePrompt(readTextFile(path, shownAs), shownAs)
}

/** The text of a prompt file, with front matter if its name ends in `.md`. `shownAs` becomes its path. */
export function parsePrompt(text: string, shownAs: string): PromptSource {
  if (shownAs.endsWith(".md")) return { path: shownAs, ...parseFrontMatter(text, shownAs) }
  return { path: shownAs, attributes: {}, body: normalizeText(text), firstLine: 1 }
}

/**
 * Follows `file_load` on disk. A path is looked up beside the file that asks, if that file is inside the roots, then in each
 * root. Nothing outside the roots is read, whether by `..`, an absolute path or a symbolic link (R2). A `.md` file gives its body.
 */
export function fileLoader({ roots }: { readonly roots: readonly string[] }): TemplateLoader {
  return (path, from) => {
    const beside = isInRoots(from.file, roots) ? [dirname(from.file)] : []
    const found = search(path, { folders: [...beside, ...roots], roots })
    const { body, firstLine } = readPrompt(found.path, found.shownAs)
    return { text: body, file: found.shownAs, firstLine }
  }
}

/** Finds a path in the first folder that has it. If none has, a path that leads outside is refused before a missing one. */
function search(path: string, { folders, roots }: { folders: readonly string[]; roots: readonly string[] }): PromptPath {
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
  const places = roots.join(" or ") || "a folder of prompts (none was given)"
  throw new PromptStrataError("prompt-missing", `expected a file of that path in ${places}, found none.`, {
    evidence: { path, searched: roots },
  })
}

function promptPaths(folder: string, below: string): string[] {
  return textPaths(entriesOf(join(folder, below)), below, (path) => promptPaths(folder, path))
}

/** The paths of texts among the entries of a folder, with those that `inFolder` finds in its folders. What begins with a dot is left out. */
export function textPaths(entries: readonly Dirent[], below: string, inFolder: (path: string) => readonly string[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.name.startsWith(".")) return []
    const path = below === "" ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) return inFolder(path)
    return /\.(?:md|txt)$/.test(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string): Dirent[] {
  noteFile(folder)
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const message = isAbsent(error) ? "expected a folder of prompt files, found none." : `cannot be read: ${messageOf(error)}`
    throw new PromptStrataError(isAbsent(error) ? "prompt-missing" : "file", `${folder}: ${message}`, { cause: error })
  }
}

interface PromptPath {
  /** The path on disk, links followed. */
  readonly path: string
  /** The file's one name in messages: `ROOT/PATH`, with `/`. */
  readonly shownAs: string
}

/**
 * Looks `path` up in `folder`, which is inside one of `roots`; `undefined` if there is no such file. A path that leaves the roots,
 * by `..` or by a symbolic link, throws `file` (R2).
 */
export function findInRoots(
  path: string,
  { folder, roots }: { readonly folder: string; readonly roots: readonly string[] },
): PromptPath | undefined {
  const wanted = resolve(folder, path)
  // Checked before the disk is asked, so that nobody can test which files exist outside.
  if (!isInRoots(wanted, roots)) throw outside(path, roots)
  const real = realPath(wanted)
  if (real === undefined) return undefined
  for (const root of roots) {
    const realRoot = realPath(resolve(root))
    if (realRoot !== undefined && contains(realRoot, real))
      return { path: real, shownAs: shownPath(root, relative(realRoot, real)) }
  }
  throw outside(path, roots)
}

/** True for a path that is inside one of the roots as it is written, links not followed. */
function isInRoots(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => contains(resolve(root), resolve(path)))
}

/** The name of a path inside a folder, as messages show it. */
function shownPath(folder: string, path: string): string {
  return join(folder, path).replaceAll(sep, "/")
}

/** True for `root` itself and for every path inside it. Both are absolute. */
function contains(root: string, path: string): boolean {
  return root === path || within(root, path) !== undefined
}

function realPath(path: string): string | undefined {
  noteFile(path)
  try {
    return realpathSync(path)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw new PromptStrataError("file", `${JSON.stringify(path)} cannot be followed: ${messageOf(error)}`, { cause: error })
  }
}

function outside(path: string, roots: readonly string[]): PromptStrataError {
  const message = `expected a path inside ${roots.join(" or ")}, but ${JSON.stringify(path)} leads outside.`
  const hint = "Only files in the prompt folders are loaded: move the file there."
  return new PromptStrataError("file", message, { hint, evidence: { path, roots } })
}
