import type { LintFile } from "../context.ts"
import type { LintFinding, TextEdit } from "../problem.ts"
import { lintRule } from "../rule.ts"
import { bodyLines } from "../text-lines.ts"

/** What no reader of these files minds, but every diff: byte order marks, `\r\n`, white space at the ends of lines. */
export const whiteSpace = lintRule(
  "white-space",
  "A byte order mark, line breaks other than \\n, and white space at the ends of lines.",
  ({ files }) => files.flatMap((file) => [...byteOrderMark(file), ...lineBreaks(file), ...lineEnds(file)]),
)

function byteOrderMark({ file, text }: LintFile): LintFinding[] {
  if (!text.startsWith("\uFEFF")) return []
  const fix = [{ start: 0, end: 1, text: "" }]
  return [{ severity: "warning", message: "expected no byte order mark, found one.", file, line: 1, column: 1, fix }]
}

/** One problem for the whole file. In TOML a line break may be part of a value. */
function lineBreaks({ file, text, kind }: LintFile): LintFinding[] {
  if (kind === "profile" || !text.includes("\r")) return []
  const breaks = [...text.matchAll(/\r\n?/g)]
  const fix = breaks.map(({ 0: found, index }): TextEdit => ({ start: index, end: index + found.length, text: "\n" }))
  const message = `expected lines to end in \\n, found ${breaks.length} that end in \\r\\n or \\r.`
  return [{ severity: "warning", message, file, line: 1, column: 1, fix }]
}

/** Two spaces at a line's end are a line break in Markdown; in front matter and in TOML white space can be part of a value. */
function lineEnds(file: LintFile): LintFinding[] {
  if (file.kind === "profile" || file.source === undefined) return []
  return [...bodyLines(file)].flatMap(({ text, line, offset }) => {
    const length = blankTail(text)
    if (length === 0 || (length === 2 && text.endsWith("  ") && text.length > 2)) return []
    const end = offset + text.length
    return [
      {
        severity: "warning",
        message: "expected no white space at the end of a line.",
        file: file.file,
        line,
        column: [...text].length - length + 1,
        endColumn: [...text].length + 1,
        fix: [{ start: end - length, end, text: "" }],
      },
    ]
  })
}

function blankTail(line: string): number {
  let at = line.length
  while (at > 0 && (line[at - 1] === " " || line[at - 1] === "\t")) at--
  return line.length - at
}
