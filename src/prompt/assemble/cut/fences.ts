import type { OpenFence } from "../../encode/marked-text.ts"

/** Up to three blanks, at least three backticks or tildes, and no backtick in the info of a fence of backticks. */
const fenceLine = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** Gives the code fence that is open at a place of a text (UTF-16 units). The place must not be inside a fence's own line. */
export type FenceAt = (offset: number) => OpenFence | undefined

const noFence: FenceAt = () => undefined

/** Finds the code fences of a text, in one linear pass. A text without fences costs almost nothing. */
export function fencesOf(text: string): FenceAt {
  const lines: { readonly markAt: number; readonly open: OpenFence | undefined }[] = []
  let open: OpenFence | undefined
  for (let at = nextMark(text, 0); at >= 0; ) {
    const lineStart = text.lastIndexOf("\n", at) + 1
    const lineEnd = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at)
    const line = text.slice(lineStart, lineEnd)
    const [, mark = "", info = ""] = fenceLine.exec(line) ?? []
    if (mark !== "") {
      const after = afterLine(open, mark, info)
      if (after !== open) lines.push({ markAt: lineStart + line.indexOf(mark), open: after })
      open = after
    }
    at = nextMark(text, lineEnd)
  }
  return lines.length === 0 ? noFence : (offset) => lines.findLast(({ markAt }) => markAt < offset)?.open
}

/** Moves the end of a head before the line of a fence that it would split. */
export function beforeFenceLine(text: string, end: number): number {
  const lineStart = text.lastIndexOf("\n", end - 1) + 1
  return end < text.length && lineStart < end && beginsWithMark.test(text.slice(lineStart, lineStart + 8)) ? lineStart : end
}

/** Moves the start of a tail behind a mark that would turn the rest of its line into a fence. */
export function behindFenceMark(text: string, start: number): number {
  if (start === 0 || text[start - 1] === "\n" || !beginsWithMark.test(text.slice(start, start + 8))) return start
  let at = start
  while (text[at] === " ") at++
  for (const mark = text[at]; text[at] === mark; ) at++
  return at
}

const beginsWithMark = /^ {0,3}(?:`{2}|~{2})/

function afterLine(open: OpenFence | undefined, mark: string, info: string): OpenFence | undefined {
  if (!open) return { opening: mark + info.trimEnd(), closing: mark }
  return mark.startsWith(open.closing) && info.trim() === "" ? undefined : open
}

/** The start of the next run of marks that can be a fence, or -1. */
function nextMark(text: string, from: number): number {
  const backticks = text.indexOf("```", from)
  const tildes = text.indexOf("~~~", from)
  return backticks < 0 ? tildes : tildes < 0 ? backticks : Math.min(backticks, tildes)
}
