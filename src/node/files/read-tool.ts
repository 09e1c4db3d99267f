import { graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { takeShape } from "../workspace/text-encoding.ts"
import { fileArguments } from "./file-arguments.ts"
import { type FileToolParts, type FileWords, requireAllowed, shownPath, withFileProblems } from "./file-tool.ts"
import type { TextRange } from "./read-ledger.ts"

/** Room for the words before a page. */
const headingCharacters = 2_000

/** However small a budget is. */
const leastPageCharacters = 100

/**
 * The tool `read`: a text file, whole if it fits on a page, else page by page with a first line that says which part it is and
 * how to go on. The text has no line numbers, so what stands there can be given to `edit` as it is.
 */
export function readTool(parts: FileToolParts): Tool {
  const { words, places, reads, pageCharacters } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    repeatable: true,
    maxResultCharacters: pageCharacters + headingCharacters,
    inputSchema: fileArguments({
      path: { kind: "path", description: parameters.path },
      offset: { kind: "count", description: parameters.offset, optional: true },
      limit: { kind: "count", description: parameters.limit, optional: true },
      character: { kind: "count", description: parameters.character, optional: true },
    }),
    execute: ({ path, offset = 1, limit, character = 1 }, context) =>
      withFileProblems(words, path, async () => {
        const place = places.find(path)
        // Before anything is read: what the model may not see is not looked at. A link may then lead somewhere else.
        await requireAllowed(parts, places.shown(place, place.path), { operation: "read", context })
        const file = await place.workspace.read(place.path, { signal: context.signal })
        const shown = places.shown(place, file.path)
        await requireAllowed(parts, shown, { operation: "read", context })
        const { plain } = takeShape(file.text)
        const from = { path: shownPath(shown), total: countLines(plain) }
        const request = { line: offset, lines: limit, character }
        const found = fittingPage(plain, request, { words, from, maxCharacters: pageCharacters, context })
        if (found === undefined) throw words.refuse({ ...from, beyond: true, offset })
        reads.show(context, { path: shown, hash: file.hash }, found.page.range)
        return found.answer
      }),
  })
}

interface PageAnswer {
  readonly words: FileWords
  /** What every answer tells of the file. */
  readonly from: { readonly path: string; readonly total: number }
  readonly maxCharacters: number
  readonly context: ToolContext
}

/** A page that no budget cuts: of half as much until it fits, as nobody could know that something is missing in its middle. */
function fittingPage(
  text: string,
  request: Omit<PageRequest, "maxCharacters">,
  { maxCharacters, context, ...told }: PageAnswer,
): { readonly page: TextPage; readonly answer: string } | undefined {
  const page = textPage(text, { ...request, maxCharacters })
  if (page === undefined) return undefined
  const answer = answerOf(text, page, told)
  const fits = maxCharacters < 2 * leastPageCharacters || context.resultFits?.(answer) !== false
  if (fits) return { page, answer }
  return fittingPage(text, request, { ...told, maxCharacters: Math.floor(maxCharacters / 2), context })
}

/** The text alone where it is all there is, else with a line before it that says which part it is. */
function answerOf(text: string, page: TextPage, { words, from }: Pick<PageAnswer, "words" | "from">): string {
  const { range, firstLine, lastLine, totalLines, next } = page
  const part = text.slice(range.start, range.end)
  if (range.start === 0 && next === undefined) return part.trim() === "" ? words.say({ ...from, empty: true }) : part
  const goOn = { next: next?.line, character: next?.character }
  return `${words.say({ ...from, first: firstLine, last: lastLine, total: totalLines, ...goOn })}\n\n${part}`
}

/** Where a page begins and how much it may hold. Lines and characters count from 1. */
interface PageRequest {
  readonly line: number
  readonly lines?: number | undefined
  /** Within the line, for one that is too long for a page. */
  readonly character: number
  readonly maxCharacters: number
}

/** A page of a text. */
interface TextPage {
  readonly range: TextRange
  readonly firstLine: number
  readonly lastLine: number
  readonly totalLines: number
  /** Where the text goes on; absent at its end. `character` only within a line. */
  readonly next?: { readonly line: number; readonly character?: number }
}

/**
 * The page of a text that begins where it is asked for: as many whole lines as it may hold, or the part of a single line that
 * fits. `undefined` beyond the text's end.
 */
export function textPage(text: string, { line, lines, character, maxCharacters }: PageRequest): TextPage | undefined {
  const starts = lineStarts(text)
  const totalLines = starts.length
  const lineStart = starts[line - 1]
  if (lineStart === undefined) return undefined
  const lineEnd = starts[line] ?? text.length
  const start = lineStart + character - 1
  if (start > lineEnd || (start === lineEnd && lineEnd > lineStart)) return undefined
  const wanted = lines === undefined ? text.length : (starts[line - 1 + lines] ?? text.length)
  if (wanted - start <= maxCharacters) {
    const lastLine = lines === undefined ? totalLines : Math.min(totalLines, line + lines - 1)
    return page({ start, end: wanted }, { firstLine: line, lastLine, totalLines })
  }
  const full = lastLineWithin(starts, start + maxCharacters)
  if (full > line - 1) {
    return page({ start, end: starts[full] ?? text.length }, { firstLine: line, lastLine: full, totalLines })
  }
  const cut = graphemeBoundaryBefore(text, start + maxCharacters)
  const end = cut > start ? cut : Math.min(lineEnd, start + maxCharacters)
  return {
    range: { start, end },
    firstLine: line,
    lastLine: line,
    totalLines,
    next: { line, character: end - lineStart + 1 },
  }
}

function page(range: TextRange, place: Pick<TextPage, "firstLine" | "lastLine" | "totalLines">): TextPage {
  return { range, ...place, ...(place.lastLine < place.totalLines ? { next: { line: place.lastLine + 1 } } : {}) }
}

/** The 1-based number of the line at an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

/** How many lines a text has; a line break at its very end begins none. */
function countLines(text: string): number {
  return lineStarts(text).length
}

/** Where lines begin; behind a line break at the very end there is none. */
function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/** The index of the last line that begins at or before `offset`: everything before it is within. */
function lastLineWithin(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
