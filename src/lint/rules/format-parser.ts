import { didYouMean } from "../../core/suggest.ts"
import { formats } from "../../reply/output/formats.ts"
import type { LintContext, LintFile } from "../context.ts"
import { keyPosition } from "../key-position.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Formats without a `parser`, or with one that nobody brings: answers in them are shown with their marks (L4). */
export const formatParser = lintRule(
  "format-parser",
  "A format that names no parser, or one which neither ships nor comes with a plugin.",
  (context) => {
    const known = parsers(context)
    // A profile that does not load may name the plugin that has it.
    const severity = context.profiles.every(({ profile }) => profile !== undefined) ? "error" : "warning"
    return context.files
      .filter(({ kind }) => kind === "format")
      .flatMap((file) => {
        const parser = file.source?.attributes.parser
        if (file.source !== undefined && parser === undefined) return [unnamed(file, known)]
        if (typeof parser !== "string" || known.includes(parser)) return []
        const message = `expected a parser (${known.join(", ")}), found ${JSON.stringify(parser)}.${didYouMean(parser, known)}`
        const hint = "A plugin brings a parser of your own among its formats."
        return [{ severity, message, file: file.file, ...keyPosition(file, "parser"), hint }]
      })
  },
)

/** It may be meant; then it can be said. */
function unnamed({ file }: LintFile, known: readonly string[]): LintFinding {
  const message = `expected a parser (${known.join(", ")}) in the front matter, found none: answers are shown as they come.`
  const hint = "Write parser: plain where that is meant."
  return { severity: "warning", message, file, line: 1, column: 1, hint }
}

function parsers({ profiles }: LintContext): string[] {
  const own = profiles.flatMap(({ profile }) => profile?.plugins ?? []).flatMap(({ formats: theirs = [] }) => theirs)
  return [...new Set([...formats, ...own].map(({ name }) => name))].sort()
}
