import { countCodePoints, graphemeBoundaryBefore } from "../../core/graphemes.ts"
import type { LearnedLine } from "../../memory/services/background/document-memory.ts"
import { normaliseMemoryText } from "../../memory/services/memory/duplicates.ts"
import { fieldName } from "../../memory/services/user-profile.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import { sanitise } from "../../prompt/encode/sanitise.ts"

/** Longer text is cut, so that one line cannot fill a document. */
const maxLineCharacters = 400

/**
 * Makes a text that a model wrote an entry of a list in Markdown: on one line, without control characters, cut at 400 characters, behind
 * its days. It can begin no heading, list, quote, code or comment, so it cannot pass for a part of the document that the person wrote.
 */
export function listEntry(text: string, daysOfIt: string): string {
  const line = onOneLine(sanitise(text).text)
  const short =
    countCodePoints(line) <= maxLineCharacters ? line : `${line.slice(0, graphemeBoundaryBefore(line, maxLineCharacters))}…`
  const safe = short.replaceAll("<!--", "<\\!--").replaceAll("```", "`\\`\\`").replaceAll("~~~", "~\\~\\~")
  // Behind a day nothing can begin.
  const begun = daysOfIt === "" ? safe.replace(/^(?=[#>*+=|<[\]~`-])/, "\\").replace(/^(\d{1,9})(?=[.)])/, "$1\\") : safe
  return `- ${daysOfIt}${begun}`
}

/** A thing that was learnt as an entry of a list, with a mark behind it if it is not to be trusted. */
export function printLine(
  { day, name, field, text, untrusted }: Omit<LearnedLine, "origins" | "document">,
  mark: string,
): string {
  const said = field === undefined ? text : `${field}: ${text}`
  const entry = listEntry(name === undefined ? said : `${name} · ${said}`, day === undefined ? "" : `${day}: `)
  return untrusted ? `${entry} ${mark}` : entry
}

/** Fields are one as {@link fieldName} says; those of two people never are, though they have one name. */
export function fieldKey(field: string, user: string | undefined): string {
  return JSON.stringify([user, fieldName(field)])
}

/** A line of a document and the line break behind it; empty for the last one. */
interface DocumentLine {
  readonly text: string
  readonly end: string
}

function linesOf(text: string): DocumentLine[] {
  const found = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return found.map((line) => {
    const end = /\r?\n$/.exec(line)?.[0] ?? ""
    return { text: line.slice(0, line.length - end.length), end }
  })
}

const join = (lines: readonly DocumentLine[]): string => lines.map(({ text, end }) => text + end).join("")

/** The lines of a document without their ends. */
export function documentLines(text: string): readonly string[] {
  return linesOf(text).map((line) => line.text)
}

/** A line without its bullet and the days before it, normalised: two lines that say the same are equal. */
export function saidBy(line: string): string {
  return normaliseMemoryText(withoutDays(line))
}

const days = /^(?:\d{4}-\d{2}-\d{2})(?:(?:, | – )\d{4}-\d{2}-\d{2})*: /

/** The words of a line, behind its bullet and its days. */
export function withoutDays(line: string): string {
  return line.replace(/^\s*[-*+] /, "").replace(days, "")
}

/** The days of a line. */
export function daysOf(line: string): readonly string[] {
  return days.exec(line.replace(/^\s*[-*+] /, ""))?.[0].match(/\d{4}-\d{2}-\d{2}/g) ?? []
}

/** Adds lines to a document, behind the last line that `isOwn`, else under `heading`, which is added at the end where it is missing. */
export function withLines(
  text: string,
  added: readonly string[],
  { heading, isOwn }: { readonly heading: string; readonly isOwn: (line: string) => boolean },
): string {
  if (added.length === 0) return text
  const lines = linesOf(text)
  const end = lines.find((line) => line.end !== "")?.end ?? "\n"
  const fresh = added.map((line) => ({ text: line, end }))
  const last = lines.findLastIndex((line) => isOwn(line.text))
  const under = last >= 0 ? last : lines.findLastIndex((line) => line.text.trim() === heading)
  if (under >= 0) {
    const gap = last < 0 && lines[under + 1]?.text.trim() !== "" ? [{ text: "", end }] : []
    const blank = last < 0 && gap.length === 0 ? 1 : 0
    const before = lines.slice(0, under + 1 + blank).map((line) => ({ ...line, end: line.end || end }))
    return join([...before, ...gap, ...fresh, ...lines.slice(under + 1 + blank)])
  }
  const whole = lines.map((line) => ({ ...line, end: line.end || end }))
  const gap = whole.length > 0 && whole.at(-1)?.text.trim() !== "" ? [{ text: "", end }] : []
  return join([...whole, ...gap, { text: heading, end }, { text: "", end }, ...fresh])
}

/** Replaces lines of a document: each by the text that `change` returns, or by nothing for undefined. */
export function changeLines(text: string, change: (line: string) => string | undefined): string {
  return join(
    linesOf(text).flatMap((line) => {
      const changed = change(line.text)
      return changed === undefined ? [] : [{ ...line, text: changed }]
    }),
  )
}
