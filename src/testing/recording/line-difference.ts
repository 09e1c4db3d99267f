/** Where two texts first differ. */
export interface LineDifference {
  /** 1-based. */
  readonly line: number
  /** The lines before it, the recorded one, the one now and the line after it, for people. */
  readonly shown: string
}

const around = 2
const widthCharacters = 100

/** The first line in which two texts differ, with the lines around it. The texts must differ. */
export function lineDifference(recorded: string, now: string): LineDifference {
  const [before, after] = [recorded.split("\n"), now.split("\n")]
  let at = 0
  while (before[at] === after[at]) at++
  const [was, is] = [before[at], after[at]]
  const from = clipStart(was ?? "", is ?? "")
  const quoted = differsInvisibly(was, is)
  const row = (mark: "-" | "+", line: string | undefined) => markedLine(mark, line, { from, quoted })
  const context = (line: string) => markedLine(" ", line)
  const next = before[at + 1] !== undefined && before[at + 1] === after[at + 1] ? [context(before[at + 1] ?? "")] : []
  const rows = [...before.slice(Math.max(0, at - around), at).map(context), row("-", was), row("+", is), ...next]
  return { line: at + 1, shown: rows.join("\n") }
}

/** Long lines are shown from shortly before the place where they differ. */
function clipStart(was: string, is: string): number {
  let same = 0
  while (same < was.length && was[same] === is[same]) same++
  return same > widthCharacters / 2 ? same - widthCharacters / 2 : 0
}

function differsInvisibly(was: string | undefined, is: string | undefined): boolean {
  const visible = (line: string) => line.replace(/[\s\p{Cf}\p{Cc}]/gu, "")
  return was !== undefined && is !== undefined && visible(was) === visible(is)
}

/** A line under its mark, cut to a readable width; `undefined` is the end of the text. */
export function markedLine(mark: "-" | "+" | " ", line: string | undefined, { from = 0, quoted = false } = {}): string {
  if (line === undefined) return `  ${mark} (the text ends here)`
  const clipped = line.slice(from, from + widthCharacters).toWellFormed()
  const text = quoted
    ? JSON.stringify(clipped).replace(/[^\S ]|[\p{Cf}\p{Cc}]/gu, escaped)
    : clipped.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped)
  return `  ${mark} ${from > 0 ? "…" : ""}${text}${from + widthCharacters < line.length ? "…" : ""}`
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
}
