import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import { renderParsed, type TemplateValues } from "../template/render.ts"
import type { Dialect, PromptFile } from "./dialect.ts"

/** A prompt file of a dialect. An unknown name is an error with code `prompt-missing` that lists the known names. */
export function promptFile(dialect: Dialect, name: string): PromptFile {
  const file = dialect.files.get(name)
  if (file) return file
  const known = [...dialect.files.keys()]
  throw new PromptStrataError(
    "prompt-missing",
    `expected a file ${name}.md in dialect "${dialect.name}" (${dialect.locale}); it has ${known.join(", ")}.${didYouMean(name, known)}`,
  )
}

/** A sentence of a dialect with its values, such as `unknown-tool` or `truncated`. */
export function renderNotice(dialect: Dialect, name: string, values: TemplateValues): string {
  return renderParsed(promptFile(dialect, name).template, values)
}
