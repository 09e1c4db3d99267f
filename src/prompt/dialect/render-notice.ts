import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { encodeText } from "../encode/encode.ts"
import { encodeInline } from "../encode/inline.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { sanitise } from "../encode/sanitise.ts"
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

/**
 * Words of others for a sentence of the dialect, which is printed as it is: on one line, and without anything that reads as one of the
 * dialect's own marks. Most words stay as they are.
 */
export function quoted(words: string, { markers }: Dialect): string {
  const isOdd = hasLineBreak(words) || sanitise(words).removed > 0
  return encodeText(isOdd ? encodeInline(words) : words, "transcript", markers)
}

/** A sentence of a dialect with its values, such as `unknown-tool` or `truncated`. */
export function renderNotice(dialect: Dialect, name: string, values: TemplateValues): string {
  return renderParsed(promptFile(dialect, name).template, values)
}

/** The reason of a run whose tool threw: the error's message (T10). */
export function reasonOf(message: string, dialect: Dialect): string {
  return message.trim() === "" ? renderNotice(dialect, "tool-threw", { reason: "" }) : message
}
