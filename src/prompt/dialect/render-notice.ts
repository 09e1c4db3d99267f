import { encodeText } from "../encode/encode.ts"
import { encodeInline } from "../encode/inline.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { sanitise } from "../encode/sanitise.ts"
import { renderParsed, type TemplateValues } from "../template/render.ts"
import { type Dialect, promptFile } from "./dialect.ts"

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
