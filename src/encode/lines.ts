import { fold, isEven } from "./fold.ts"
import { mapLines } from "./line-breaks.ts"

/**
 * The lines that a dialect itself prints, folded (see `fold`). Untrusted text must not pass for one of them. They are
 * derived from the prompt files.
 */
export interface Markers {
  /** Whole lines. */
  readonly lines: ReadonlySet<string>
  /** Beginnings of lines that go on with a value, such as `##` of `## ${key}`. */
  readonly heads: readonly string[]
  /** True when the dialect uses code fences: then a line that opens or closes a fence is a marker too. */
  readonly fences: boolean
}

/**
 * Encodes untrusted text that has its lines to itself. A line that equals one of the markers, folded and without leading
 * backslashes and blanks, gets one leading `\`. All other lines stay as they are. Inverse: {@link decodeLines} (T5, T28).
 */
export function encodeLines(text: string, markers: Markers): string {
  const reads = markerReader(markers)
  return mapLines(text, (line) => (reads(line) ? `\\${line}` : line))
}

/** Decodes what {@link encodeLines} returned, for the same markers. */
export function decodeLines(text: string, markers: Markers): string {
  const reads = markerReader(markers)
  // A leading backslash does not change the comparison, so the same test finds the lines that were marked.
  return mapLines(text, (line) => (line.startsWith("\\") && reads(line) ? line.slice(1) : line))
}

type MarkerReader = (line: string) => boolean

/** The readers of markers. Markers live as long as their prompt, so each is built once. */
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

/** The first characters of a folded line. They are enough to tell that most prose is no marker. */
const stemLength = 24

/** The folded beginning of a long line, longer than a stem; `undefined` where the whole line has to be folded. */
function beginning(line: string): string | undefined {
  const start = line.slice(0, stemLength * 4)
  if (start.length === line.length || !isEven(start)) return undefined
  const seen = core(start)
  // The fold of the last character may depend on the next one.
  return seen.length > stemLength + 1 ? seen : undefined
}

/** The part of a line that is compared: folded, without leading backslashes and blanks. */
function core(line: string): string {
  return fold(line).replace(/^[\\ ]+/, "")
}

/**
 * True for a line whose first character tells that it is no marker. An ASCII letter, a digit or a Han character folds to
 * itself, so most lines need no folding.
 */
function beginsOtherwise(line: string, initials: ReadonlySet<number>): boolean {
  let at = 0
  let unit = line.charCodeAt(0)
  while (unit === 0x20 || unit === 0x09 || unit === 0x5c) unit = line.charCodeAt(++at)
  if (unit >= 0x41 && unit <= 0x5a) return !initials.has(unit + 0x20)
  const foldsToItself = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x4e00 && unit <= 0x9fff)
  return foldsToItself && !initials.has(unit)
}
