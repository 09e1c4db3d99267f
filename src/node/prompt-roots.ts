import { realpathSync } from "node:fs"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import { noteFile } from "./file-log.ts"
import { isMissing } from "./read-text-file.ts"

/** A file found inside a root: where it really is, and its one name for people, `ROOT/PATH` with `/`. */
export interface FoundFile {
  readonly path: string
  readonly shownAs: string
}

/**
 * Looks `path` up in `folder`, inside one of `roots`; `undefined` if nothing is there. A path that leaves the roots, by
 * `..` or by a symbolic link, is an error with code `file` (R2).
 */
export function findInRoots(
  path: string,
  { folder, roots }: { readonly folder: string; readonly roots: readonly string[] },
): FoundFile | undefined {
  const wanted = resolve(folder, path)
  // Before the disk is asked: what lies outside cannot even be tested for its existence.
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

/** True when a path lies inside one of the roots as it is written, links not followed. */
export function isInRoots(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => contains(resolve(root), resolve(path)))
}

/** The name for people of a path inside a folder. */
export function shownPath(folder: string, path: string): string {
  return join(folder, path).replaceAll(sep, "/")
}

/** True when `path` is `root` or inside it; both absolute. */
function contains(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

function realPath(path: string): string | undefined {
  noteFile(path)
  try {
    return realpathSync(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new PromptStrataError("file", `${JSON.stringify(path)} cannot be followed: ${messageOf(error)}`, { cause: error })
  }
}

function outside(path: string, roots: readonly string[]): PromptStrataError {
  return new PromptStrataError(
    "file",
    `expected a path inside ${roots.join(" or ")}, but ${JSON.stringify(path)} leads outside.`,
    {
      hint: "Only files in the prompt folders are loaded: move the file there.",
      evidence: { path, roots },
    },
  )
}
