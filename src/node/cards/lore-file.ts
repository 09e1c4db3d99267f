import { locatedError } from "../../core/evidence/located-error.ts"
import { isRecord } from "../../core/json-access.ts"
import { checkLength, readYamlMapping } from "../front-matter.ts"

/** A lore entry of a card as Markdown: its text, under front matter with all other fields. */
export function fileOfLore(entry: Readonly<Record<string, unknown>>): string {
  const { content } = entry
  const hasBody = typeof content === "string" && content !== "" && content.isWellFormed() && !content.endsWith("\r")
  const fields = Object.entries(entry).filter(([name]) => name !== "content" || !hasBody)
  return `---\n${fields.map(([name, value]) => yamlOf(name, value)).join("")}---\n${hasBody ? `${content}\n` : ""}`
}

/** A field on a line of its own; the fields of an object stand below it. JSON is YAML, so it holds whatever has no simpler form. */
function yamlOf(name: string, value: unknown): string {
  const fields = isRecord(value) ? Object.entries(value) : []
  if (fields.length === 0) return `${scalarOf(name)}: ${scalarOf(value)}\n`
  return `${scalarOf(name)}:\n${fields.map(([inner, item]) => `  ${scalarOf(inner)}: ${scalarOf(item)}\n`).join("")}`
}

function scalarOf(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((item) => (typeof item === "string" ? wordOf(item) : JSON.stringify(item))).join(", ")}]`
  return typeof value === "string" ? wordOf(value) : JSON.stringify(value)
}

/** Words that YAML reads as themselves need no quotes. */
function wordOf(text: string): string {
  const isBare =
    /^[\p{L}][\p{L}\p{M}\p{N} _-]*$/u.test(text) && !text.endsWith(" ") && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
  return isBare ? text : JSON.stringify(text)
}

/** Reads a lore entry from its Markdown. A text under the front matter goes before a field `content`. Throws `front-matter` with the place. */
export function loreOfFile(text: string, file: string): Readonly<Record<string, unknown>> {
  const fail = (message: string) => locatedError("front-matter", message, { file, text, position: { line: 1, column: 1 } })
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0]
  if (opening === undefined)
    throw fail("expected a lore entry, which begins with front matter between two lines ---, found none.")
  const closing = /^---[ \t]*(?:\r?\n|$)/m
  const rest = text.slice(opening.length)
  const end = closing.exec(rest)
  if (end === null) throw fail("expected a line --- that ends the front matter of this entry, found none.")
  const block = rest.slice(0, end.index)
  checkLength(block, fail)
  const fields = readYamlMapping(block, { file, whole: text, offset: opening.length })
  const content = rest.slice(end.index + end[0].length).replace(/\r?\n$/, "")
  return content === "" ? fields : { ...fields, content }
}
