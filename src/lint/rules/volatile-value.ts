import type { LintContext, LintDocument, LintFile } from "../context.ts"
import { variableNames } from "../known-slots.ts"
import { eachNode } from "../nodes.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"
import { bodyLines, columnAt } from "../text-lines.ts"
import { excuse, volatilePatterns } from "../volatile-patterns.ts"

const hint =
  "The layers of a system prompt stay the same over all turns, so a provider caches them (L1, S15); what changes belongs to a prestart tool or a hook."

/** Dates, times and random ids in what has to stay the same (L1, S15). */
export const volatileValue = lintRule(
  "volatile-value",
  "A date, a time or a random id in a persona, format, skill, variable or in a prompt's own words.",
  (context) => [...context.files.flatMap(inFile), ...inVariables(context)],
)

function inFile(file: LintFile): LintFinding[] {
  if (file.kind === "prompt") return inFrames(file)
  if (file.kind !== "persona" && file.kind !== "format" && file.kind !== "skill") return []
  return [...bodyLines(file)].flatMap(({ text, line }) => inLine(text, { file: file.file, line }))
}

/** The literal text of a prompt, line by line; what stands inside an expression is data or a name. */
function inFrames({ file, text, template }: LintFile): LintFinding[] {
  const whole = text.split(/\r\n|\n|\r/)
  return [...eachNode(template?.nodes ?? [])].flatMap((node) => {
    if (node.type !== "literal" || node.source.file !== file) return []
    const first = node.source.line
    // A literal's line is that of its first words.
    const lines = node.text.replace(/^\n+/, "").split("\n")
    return lines.flatMap((literal, at) => inLine(literal, { file, line: first + at }, whole[first + at - 1]))
  })
}

function inVariables({ profiles }: LintContext): LintFinding[] {
  return profiles
    .filter(({ linted }) => linted)
    .flatMap(({ documents }) =>
      documents.flatMap((document) => variableNames(document.data).flatMap((name) => at(document, name))),
    )
}

function at(document: LintDocument, name: string): LintFinding[] {
  const value = (document.data.variables as Readonly<Record<string, unknown>>)[name]
  const { line, column } = document.locate(["variables", name])
  return inLine(String(value), { file: document.file, line }).map(({ endColumn: _, ...finding }) => ({ ...finding, column }))
}

/** `whole` is the line of the file that the text is part of, where it is not all of it. */
function inLine(text: string, place: { readonly file: string; readonly line: number }, whole: string = text): LintFinding[] {
  for (const { what, pattern, excusable } of volatilePatterns) {
    const found = pattern().exec(text)
    if (!found || (excusable && excuse().test(text))) continue
    const column = columnAt(whole, Math.max(0, whole.indexOf(found[0])))
    const endColumn = column + [...found[0]].length
    return [
      { severity: "warning", message: `expected text that stays the same, found ${what}.`, ...place, column, endColumn, hint },
    ]
  }
  return []
}
