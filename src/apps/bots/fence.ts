/** A fence of Markdown that is open at some place of a text. */
export interface Fence {
  /** A line that opens it again. */
  readonly opener: string
  readonly closer: string
}

/** The most characters of an opening or closing line that is added. */
export const longestMark = 24

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** The fence that is open after a line, if `open` was open before it. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const [, marks = "", info = ""] = fenceLine.exec(line) ?? []
  if (marks === "") return open
  if (open) return info.trim() === "" && marks.startsWith(open.closer) ? undefined : open
  // Backquotes further on in the line: this is code in a line, no fence.
  if (marks.length > longestMark || (marks.startsWith("`") && info.includes("`"))) return undefined
  const opener = marks + info.trimEnd()
  return { opener: opener.length <= longestMark ? opener : marks, closer: marks }
}
