import type { Text } from "../../core/value.ts"
import type { Markers } from "../../encode/lines.ts"
import { encodeLines } from "../../encode/lines.ts"
import type { LintProfile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** A shorter beginning than this stands on too many lines that nobody would take for the dialect's own. */
const leastHead = 4

/** Lines of author texts, which stand as they are, that read as a line of the dialect (T28). */
export const markerLines = lintRule(
  "marker-lines",
  "A line in a persona, format, skill or variable that reads as one of the dialect's own separators or headings.",
  ({ profiles }) => profiles.filter(({ linted }) => linted).flatMap(inProfile),
)

function inProfile({ profile, dialect }: LintProfile): LintFinding[] {
  if (profile === undefined || dialect === undefined) return []
  const markers = sectionMarkers(dialect.markers)
  const { persona, format, final, variables, skills } = profile
  const inline = skills.filter(({ mode }) => mode === "inline").map(({ content }) => content)
  const values = Object.values(variables).filter((value) => typeof value === "object")
  return [persona, format, final.system, ...values, ...inline]
    .filter((text) => text !== undefined)
    .flatMap((text) => inText(text, markers, dialect.name))
}

/** Fences and Markdown headings are everyday in such texts; a dialect's other lines are not. */
function sectionMarkers({ lines, heads }: Markers): Markers {
  return { lines, heads: heads.filter((head) => head.length >= leastHead), fences: false }
}

function inText({ text, source }: Text, markers: Markers, dialect: string): LintFinding[] {
  if (source === undefined) return []
  const before = text.split("\n")
  const after = encodeLines(text, markers).split("\n")
  return before.flatMap((line, at) => {
    if (after[at] === line) return []
    return [
      {
        severity: "warning",
        message: `this line reads as one of dialect ${dialect}'s own: the text after it looks like another section.`,
        file: source.file,
        line: source.line + at,
        column: 1,
        endColumn: [...line].length + 1,
        hint: "Word it differently, or use a dialect that does not print such a line.",
      },
    ]
  })
}
