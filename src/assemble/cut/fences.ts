import type { TrustedText } from "../../core/value.ts"

/** A code fence that is open at some place of a text. */
interface OpenFence {
  /** The line that opens it, with its info. */
  readonly opening: string
  /** The line that closes it. */
  readonly closing: string
}

/** Up to three blanks, at least three backticks or tildes, and no backtick in the info of a fence of backticks. */
const fenceLine = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** The Markdown code fence that is open at a place of a text (UTF-16 units); no line of a fence is parted there. */
export type FenceAt = (offset: number) => OpenFence | undefined

const noFence: FenceAt = () => undefined

/** Finds a text's fences in one linear pass; next to none where there is no fence. */
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

/** The end of a head, before the line of a fence that it would part. */
export function beforeFenceLine(text: string, end: number): number {
  const lineStart = text.lastIndexOf("\n", end - 1) + 1
  return end < text.length && lineStart < end && beginsWithMark.test(text.slice(lineStart, lineStart + 8)) ? lineStart : end
}

/** The start of a tail, behind a mark that would make a fence of the rest of its line. */
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

/** Where the next run that can be a fence begins, or -1. */
function nextMark(text: string, from: number): number {
  const backticks = text.indexOf("```", from)
  const tildes = text.indexOf("~~~", from)
  return backticks < 0 ? tildes : tildes < 0 ? backticks : Math.min(backticks, tildes)
}

/** The words of a notice between two parts of a text: a fence that the cut left open before it is closed, one after it opened again. */
export function closedNotice(
  notice: string,
  { before, after }: { readonly before: OpenFence | undefined; readonly after: OpenFence | undefined },
): string {
  return `${before ? `${before.closing}\n\n` : ""}${notice}${after ? `\n\n${after.opening}` : ""}`
}

/** The code fences of a cut text that its head leaves open and that its tail begins in. */
interface CutFences {
  readonly before: OpenFence | undefined
  readonly after: OpenFence | undefined
}

const fences = new WeakMap<TrustedText, CutFences>()

/** Remembers what fences a cut opened, for whoever prints the text: whether they count depends on its encoder. */
export function rememberCutFences(cut: TrustedText, open: CutFences): void {
  if (open.before || open.after) fences.set(cut, open)
}

/** The fences that a cut opened; `undefined` for none. */
export function cutFencesOf(cut: TrustedText): CutFences | undefined {
  return fences.get(cut)
}
