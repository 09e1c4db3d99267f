import type { TrustedText } from "../../core/value.ts"
import { encodeLines, type Markers } from "../../prompt/encode/lines.ts"
import { finding, type LintFinding, profileRule } from "../rule.ts"

/** Shorter beginnings of lines are ignored: too many ordinary lines have them. */
const minHeadLength = 4

/** Lines of author texts, which are printed unchanged, that read as a line of the dialect (T28). */
export const markerLines = profileRule(
  "marker-lines",
  "A line in a persona, format, skill or variable that reads as one of the dialect's own separators or headings.",
  ({ profile, dialect }) => {
    if (profile === undefined || dialect === undefined) return []
    const { lines, heads } = dialect.markers
    // Fences and Markdown headings are everyday in such texts; the other lines of a dialect are not.
    const markers = { lines, heads: heads.filter((head) => head.length >= minHeadLength), fences: false }
    const { persona, format, final, variables, skills } = profile
    const inline = skills.filter(({ mode }) => mode === "inline").map(({ content }) => content)
    const values = Object.values(variables).filter((value) => typeof value === "object")
    return [persona, format, final.system, ...values, ...inline].flatMap((text) =>
      text === undefined ? [] : inText(text, markers, dialect.name),
    )
  },
)

function inText({ text, source }: TrustedText, markers: Markers, dialect: string): LintFinding[] {
  if (source === undefined) return []
  const after = encodeLines(text, markers).split("\n")
  return text.split("\n").flatMap((line, at) => {
    if (after[at] === line) return []
    const message = `this line reads as one of dialect ${dialect}'s own: the text after it looks like another section.`
    const hint = "Word it differently, or use a dialect that does not print such a line."
    return [finding(source.file, message, { line: source.line + at, endColumn: [...line].length + 1, hint })]
  })
}
