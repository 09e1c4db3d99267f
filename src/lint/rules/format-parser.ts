import { didYouMean } from "../../core/suggest.ts"
import { formats } from "../../reply/output/formats.ts"
import type { LintContext } from "../context.ts"
import { keyPosition } from "../key-position.ts"
import { lintRule } from "../rule.ts"

/** Formats whose `parser` nobody brings: answers in them would be shown with their marks (L4). */
export const formatParser = lintRule(
  "format-parser",
  "A format that names a parser which neither ships nor comes with a plugin.",
  (context) => {
    const known = parsers(context)
    // A profile that does not load may name the plugin that has it.
    const severity = context.profiles.every(({ profile }) => profile !== undefined) ? "error" : "warning"
    return context.files
      .filter(({ kind }) => kind === "format")
      .flatMap((file) => {
        const parser = file.source?.attributes.parser
        if (typeof parser !== "string" || known.includes(parser)) return []
        const message = `expected a parser (${known.join(", ")}), found ${JSON.stringify(parser)}.${didYouMean(parser, known)}`
        const hint = "A plugin brings a parser of your own among its formats."
        return [{ severity, message, file: file.file, ...keyPosition(file, "parser"), hint }]
      })
  },
)

function parsers({ profiles }: LintContext): string[] {
  const own = profiles.flatMap(({ profile }) => profile?.plugins ?? []).flatMap(({ formats: theirs = [] }) => theirs)
  return [...new Set([...formats, ...own].map(({ name }) => name))].sort()
}
