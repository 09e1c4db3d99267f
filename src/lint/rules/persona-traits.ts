import type { LintFile } from "../context.ts"
import { selfNaming, personaTraits as traits } from "../persona-traits.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Personas without a name, a personality, a tone or a form of address (T37). Only Chinese and English ones are read for it. */
export const personaTraits = lintRule(
  "persona-traits",
  "A persona without a name, a personality, a tone or a form of address.",
  ({ files }) => files.filter(({ kind }) => kind === "persona").flatMap(inPersona),
)

function inPersona({ file, source, locale }: LintFile): LintFinding[] {
  if (source === undefined || (locale !== undefined && !/^(?:en|zh)/.test(locale))) return []
  const { attributes, body, firstLine } = source
  if (body.trim() === "") return [finding("expected who the character is, found nothing.", file, firstLine)]
  const lacking = [
    ...(typeof attributes.name === "string" || selfNaming().test(body) ? [] : ["a name"]),
    // A form of address can stand in the front matter too: it is how the user is shown in prompts.
    ...traits
      .filter(
        ({ what, words }) => !words().test(body) && !(what.startsWith("a form of address") && attributes.user !== undefined),
      )
      .map(({ what }) => what),
  ]
  return lacking.map((what) => finding(`expected a persona to have ${what}, found none.`, file, firstLine))
}

function finding(message: string, file: string, line: number): LintFinding {
  return {
    severity: "warning",
    message,
    file,
    line,
    column: 1,
    hint: "A character that lacks it sounds like any other assistant.",
  }
}
