import { fold, isEven } from "./fold.ts"
import { mapLines } from "./line-breaks.ts"
import type { Markers } from "./markers.ts"

/**
 * Untrusted text for a place alone on its line: each line that reads as one of the markers, once folded and without
 * leading backslashes and blanks, gets one leading `\`; all else stands as it is. Inverse: {@link decodeLines} (T5, T28).
 */
export function encodeLines(text: string, markers: Markers): string {
  const reads = markerReader(markers)
  return mapLines(text, (line) => (reads(line) ? `\\${line}` : line))
}

/** What {@link encodeLines} was given, for the same markers. */
export function decodeLines(text: string, markers: Markers): string {
  const reads = markerReader(markers)
  // A backslash in front never changes what a line reads as, so the same question finds the lines that were marked.
  return mapLines(text, (line) => (line.startsWith("\\") && reads(line) ? line.slice(1) : line))
}

type MarkerReader = (line: string) => boolean

/** Markers live as long as their prompt, so what is derived from them is derived once. */
const readers = new WeakMap<Markers, MarkerReader>()

function markerReader(markers: Markers): MarkerReader {
  const known = readers.get(markers)
  if (known) return known
  const lines = new Set([...markers.lines].map(core).filter((line) => line !== ""))
  const heads = [...markers.heads, ...(markers.fences ? ["```", "~~~"] : [])].map(core).filter((head) => head !== "")
  const stems = new Set([...lines, ...heads].map((marker) => marker.slice(0, stemLength)))
  const shortHeads = heads.filter(({ length }) => length < stemLength)
  const initials = new Set([...lines, ...heads].map((marker) => marker.charCodeAt(0)))
  const reader: MarkerReader = (line) => {
    if (beginsOtherwise(line, initials)) return false
    const begins = beginning(line)
    if (begins !== undefined && !stems.has(begins.slice(0, stemLength)) && !shortHeads.some((head) => begins.startsWith(head)))
      return false
    const seen = core(line)
    return lines.has(seen) || heads.some((head) => seen.startsWith(head))
  }
  readers.set(markers, reader)
  return reader
}

/** So many characters of what a line reads as tell that most prose is no marker. */
const stemLength = 24

/** The beginning of what a long line reads as, longer than a stem; `undefined` where the whole line has to be looked at. */
function beginning(line: string): string | undefined {
  const start = line.slice(0, stemLength * 4)
  if (start.length === line.length || !isEven(start)) return undefined
  const seen = core(start)
  // What follows may change the last character.
  return seen.length > stemLength + 1 ? seen : undefined
}

/** The line as it is compared: folded, without the backslashes and blanks it begins with. */
function core(line: string): string {
  return fold(line).replace(/^[\\ ]+/, "")
}

/** A line that begins with a letter, digit or Han character folds to that beginning: most lines need no folding. */
function beginsOtherwise(line: string, initials: ReadonlySet<number>): boolean {
  let at = 0
  let unit = line.charCodeAt(0)
  while (unit === 0x20 || unit === 0x09 || unit === 0x5c) unit = line.charCodeAt(++at)
  if (unit >= 0x41 && unit <= 0x5a) return !initials.has(unit + 0x20)
  const foldsToItself = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x4e00 && unit <= 0x9fff)
  return foldsToItself && !initials.has(unit)
}
