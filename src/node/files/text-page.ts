import { graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import type { TextRange } from "./read-ledger.ts"

/** Where a page begins and how much it may hold. Lines and characters count from 1. */
export interface PageRequest {
  readonly line: number
  readonly lines?: number | undefined
  /** Within the line, for one that is too long for a page. */
  readonly character: number
  readonly maxCharacters: number
}

/** A page of a text. */
export interface TextPage {
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
export function countLines(text: string): number {
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
