import { callShape, type LineShape, lineShapes, type Markers } from "../encode/lines.ts"
import type { LineFrame } from "../encode/named-lines.ts"

/** The lines that one prompt file can print, folded. */
export interface FoundLines {
  /** Lines of literal text alone. */
  readonly lines: readonly string[]
  /** Literal beginnings of lines that go on with a value. */
  readonly heads: readonly string[]
  /** Lines that begin with a name, or with other values and then a name, without blanks. A name's slot stands between two {@link valueMark}s, another value is nothing between them. */
  readonly frames: readonly string[]
  /** True if a value is printed in a code fence. */
  readonly fences: boolean
  /** True if a value is printed as a transcript, whose signs at the beginnings of lines count in a fence too. */
  readonly signs: boolean
}

/** Stands on both sides of a value in a line that begins with one. No file holds it as text. */
export const valueMark = "\u{1}"

/** The markers that untrusted text must not imitate (T28), from the lines that each of a dialect's files can print. */
export function markersOf(files: readonly FoundLines[]): Markers {
  const lines = new Set(files.flatMap((file) => file.lines))
  const heads = new Set(files.flatMap((file) => file.heads))
  const frames = new Set(files.flatMap((file) => file.frames))
  const signs = files.some((file) => file.signs)
  // Pages stand in a fence, also if the file has no other.
  const fences = signs || files.some((file) => file.fences)
  // Inside a fence of the file's own, a second one would close it.
  const isOpen = [...lines, ...heads].some((line) => /^(?:```|~~~)/.test(line))
  const pages = fences && !isOpen
  return { lines, heads: shortest(heads), fences, frames: framesOf(frames), tokens: true, pages, signs }
}

/** The shapes of headings and rules that literal lines have, and of calls that stand in brackets (T5). */
export function shapesOf({ lines, heads, frames = [] }: Markers): LineShape[] {
  const literal = [...lines, ...heads]
  const shapes = Object.values(lineShapes).filter((shape) => literal.some((line) => shape.test(line)))
  return frames.some(({ before }) => isBracket(before)) ? [...shapes, callShape] : shapes
}

/** The headings and rules of a prompt that no turn prints. Sentences of it are not among them. */
export function headingsOf({ lines }: FoundLines): FoundLines {
  const headings = lines.filter((line) => Object.values(lineShapes).some((shape) => shape.test(line)))
  return { lines: headings, heads: [], frames: [], fences: false, signs: false }
}

function framesOf(written: ReadonlySet<string>): LineFrame[] {
  return [...written].flatMap((line): LineFrame[] => {
    // Texts and slots by turns, of which the first one with a name counts.
    const parts = line.split(valueMark)
    const at = parts.findIndex((slot, index) => index % 2 === 1 && slot !== "")
    const [before = "", slot = "", ...rest] = parts.slice(at - 1)
    const after = rest.filter((_, index) => index % 2 === 0)
    // Without a character of its own around the name, a frame is the name alone, or any line that begins with it.
    const own = after.join("")
    if (at > 1) return before + own ? [{ slot, lead: true, before, after }] : []
    return own || rest.length === 1 ? [{ slot, before, after }] : []
  })
}

/** The heads without those that begin with another head. */
export function shortest(heads: ReadonlySet<string>): string[] {
  const kept: string[] = []
  for (const head of [...heads].sort()) {
    const last = kept.at(-1)
    if (last === undefined || !head.startsWith(last)) kept.push(head)
  }
  return kept
}

/** True for the bracket before the name in a line that shows a call, such as `[${tool}]`. */
export function isBracket(head: string): boolean {
  return head === "[" || head === "【"
}
