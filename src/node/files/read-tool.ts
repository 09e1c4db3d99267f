import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { pictureTypes } from "../../core/model/language-model.ts"
import { readBase64 } from "../../memory/services/attachments/read-attachments.ts"
import type { Tool, ToolContext } from "../../prompt/tools/tool.ts"
import { lastLineWithin, lineStarts } from "../line-starts.ts"
import { takeShape } from "../workspace/text-encoding.ts"
import { mediaTypeOf } from "./create-file-references.ts"
import { defineFileTool } from "./define-file-tool.ts"
import { type FilePlace, type FileToolParts, type FileWords, requireAllowed, shownPath } from "./file-tool.ts"
import type { TextRange } from "./read-ledger.ts"

/** Room for the words before a page. */
const headingCharacters = 2_000

/** A larger picture is refused: providers refuse it, too. */
const maxPictureBytes = 10 * 1024 * 1024

/** A page is not made smaller than this, however small a budget is. */
const minPageCharacters = 100

/**
 * The tool `read`: a text file, whole if it fits on a page, else page by page. The first line of a page says which part it is and
 * how to go on. The text has no line numbers, so that a part of it can be given to `edit` unchanged. A picture is given to a model that
 * sees it (N17).
 */
export function readTool(parts: FileToolParts): Tool {
  const { words, places, reads, pageCharacters } = parts
  return defineFileTool(parts, {
    maxResultCharacters: pageCharacters + headingCharacters,
    parameters: { path: "path", offset: "count?", limit: "count?", character: "count?" },
    async run({ path, offset = 1, limit, character = 1 }, context) {
      const place = places.find(path)
      // Checked before reading, as a hidden file must not be touched, and again after: a link may lead to another file.
      await requireAllowed(parts, places.shown(place, place.path), { operation: "read", context })
      const type = mediaTypeOf(place.path)
      if (pictureTypes.has(type) && context.takes?.(type) && place.workspace.readBytes) return lookAt(parts, place, context)
      const file = await place.workspace.read(place.path, { signal: context.signal })
      const shown = places.shown(place, file.path)
      await requireAllowed(parts, shown, { operation: "read", context })
      const { plain } = takeShape(file.text)
      const from = { path: shownPath(shown), total: lineStarts(plain).length }
      const request = { line: offset, lines: limit, character, maxCharacters: pageCharacters }
      const found = fittingPage(plain, request, { words, from, context })
      if (found === undefined) throw words.refuse({ ...from, beyond: true, offset })
      reads.show(context, { path: shown, hash: file.hash }, found.page.range)
      return found.answer
    },
  })
}

/** Gives a picture to a model that sees its kind, with the result. Throws for one that is not what its name says. */
async function lookAt(parts: FileToolParts, place: FilePlace, context: ToolContext): Promise<string> {
  const { words, places, name } = parts
  const file = await place.workspace.readBytes?.(place.path, { maxBytes: maxPictureBytes, signal: context.signal })
  const shown = places.shown(place, file?.path ?? place.path)
  await requireAllowed(parts, shown, { operation: "read", context })
  const mediaType = mediaTypeOf(shown)
  const base64 = Buffer.from(file?.bytes ?? []).toString("base64")
  await readBase64(base64, mediaType, shown)
  const attachment = { mediaType, bytes: file?.sizeBytes ?? 0, base64 }
  context.record?.({ kind: "attachment", tool: name, summary: `${shown}: ${mediaType}, ${attachment.bytes} bytes`, attachment })
  return words.say({ path: shownPath(shown), picture: true })
}

interface PageAnswer {
  readonly words: FileWords
  /** Facts about the file for every answer. */
  readonly from: { readonly path: string; readonly total: number }
  readonly context: ToolContext
}

/**
 * A page that no budget cuts. It is halved until it fits: if it were cut, nobody would know that its middle is missing.
 * `undefined` beyond the end of the text.
 */
function fittingPage(text: string, request: PageRequest, parts: PageAnswer): { page: TextPage; answer: string } | undefined {
  const page = textPage(text, request)
  if (page === undefined) return undefined
  const answer = answerOf(text, page, parts)
  const { maxCharacters } = request
  const fits = maxCharacters < 2 * minPageCharacters || parts.context.resultFits?.(answer) !== false
  return fits ? { page, answer } : fittingPage(text, { ...request, maxCharacters: Math.floor(maxCharacters / 2) }, parts)
}

/** The whole text alone, or a part with a line before it that says which part it is. */
function answerOf(text: string, page: TextPage, { words, from }: PageAnswer): string {
  const { range, firstLine, lastLine, next } = page
  const part = text.slice(range.start, range.end)
  if (range.start === 0 && next === undefined) return part.trim() === "" ? words.say({ ...from, empty: true }) : part
  const heading = { first: firstLine, last: lastLine, next: next?.line, character: next?.character }
  return `${words.say({ ...from, ...heading })}\n\n${part}`
}

/** The beginning and the size of a page. Lines and characters count from 1. */
interface PageRequest {
  readonly line: number
  readonly lines?: number | undefined
  /** The first character within the line, for a line that is too long for a page. */
  readonly character: number
  readonly maxCharacters: number
}

interface TextPage {
  readonly range: TextRange
  readonly firstLine: number
  readonly lastLine: number
  readonly totalLines: number
  /** The beginning of the next page; absent at the end of the text. `character` is present only within a line. */
  readonly next?: { readonly line: number; readonly character?: number }
}

/**
 * A page of a text from a given place: as many whole lines as fit, or the part of a single line that fits. `undefined` beyond the
 * end of the text.
 */
export function textPage(text: string, { line, lines, character, maxCharacters }: PageRequest): TextPage | undefined {
  const starts = lineStarts(text)
  const totalLines = starts.length
  const lineStart = starts[line - 1]
  if (lineStart === undefined) return undefined
  const lineEnd = starts[line] ?? text.length
  const start = lineStart + character - 1
  if (start > lineEnd || (start === lineEnd && lineEnd > lineStart)) return undefined
  const until = (lastLine: number): TextPage => {
    const range = { start, end: starts[lastLine] ?? text.length }
    const next = lastLine < totalLines ? { next: { line: lastLine + 1 } } : {}
    return { range, firstLine: line, lastLine, totalLines, ...next }
  }
  const wanted = until(lines === undefined ? totalLines : Math.min(totalLines, line + lines - 1))
  if (wanted.range.end - start <= maxCharacters) return wanted
  const full = lastLineWithin(starts, start + maxCharacters)
  if (full >= line) return until(full)
  const cut = graphemeBoundaryBefore(text, start + maxCharacters)
  const end = cut > start ? cut : Math.min(lineEnd, start + maxCharacters)
  return { range: { start, end }, firstLine: line, lastLine: line, totalLines, next: { line, character: end - lineStart + 1 } }
}
