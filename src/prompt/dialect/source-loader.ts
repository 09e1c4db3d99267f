import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { isPrompt, type PromptSource, promptName } from "./prompt-source.ts"

/**
 * Makes a loader for `file_load` that reads files in memory (R2). It looks for a path beside the file that asks, then in each of
 * `folders`; `""` is the root. No other file can be reached.
 */
export function sourceLoader(sources: readonly PromptSource[], folders: readonly string[] = [""]): TemplateLoader {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  return (path, from) => {
    for (const folder of [folderOf(from.file), ...folders]) {
      const found = byPath.get(joinPath(folder, path) ?? "")
      if (found) return { text: found.body, file: found.path, firstLine: found.firstLine }
    }
    const known = [...byPath.keys()]
    throw new PromptStrataError("prompt-missing", `expected a prompt file of that path, found none.${didYouMean(path, known)}`, {
      evidence: { path, searched: [folderOf(from.file), ...folders] },
    })
  }
}

/** The folder of a path, `""` for a file of the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

/** The path with `.` and `..` resolved; `undefined` if it leaves the root. */
export function joinPath(folder: string, path: string): string | undefined {
  const parts: string[] = []
  for (const part of `${folder}/${path}`.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join("/")
}

/** Puts a user's files over those of a dialect. A file of the same name replaces the dialect's file; others are added. */
export function overlayDialect(base: readonly PromptSource[], over: readonly PromptSource[]): PromptSource[] {
  const replaced = new Set(over.map(({ path }) => fileName(path)))
  return [...base.filter(({ path }) => !replaced.has(fileName(path))), ...over]
}

/** Loads a file of `file_load` by `over`, and by `base` if `over` does not have it. */
export function overlayLoader(base: TemplateLoader, over: TemplateLoader): TemplateLoader {
  return (path, from) => {
    try {
      return over(path, from)
    } catch (error) {
      if (PromptStrataError.isInstance(error) && error.code === "prompt-missing") return base(path, from)
      throw error
    }
  }
}

function fileName(path: string): string {
  return isPrompt(path) ? promptName(path) : path.slice(path.lastIndexOf("/") + 1)
}
