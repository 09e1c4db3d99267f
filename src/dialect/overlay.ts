import { PromptStrataError } from "../core/errors.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { isPrompt, type PromptSource, promptName } from "./prompt-source.ts"

/** Lays a user's files over a dialect's: a file of the same name takes the place of the one below, others are added. */
export function overlayDialect(base: readonly PromptSource[], over: readonly PromptSource[]): PromptSource[] {
  const replaced = new Set(over.map(({ path }) => fileName(path)))
  return [...base.filter(({ path }) => !replaced.has(fileName(path))), ...over]
}

/** Follows `file_load` with `over`, and with `base` what `over` does not have. */
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
