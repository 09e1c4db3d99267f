import type { LintContext, LintFault } from "../context.ts"
import { type LintRule, lintRule } from "../rule.ts"

/** The rules of what reading the files found, one for each kind of fault. */
export const faultRules: readonly LintRule[] = [
  faultRule("profile", "A profile that does not load: unknown keys, wrong values, files, tools or plugins that are not there."),
  faultRule("duplicate-key", "A key that stands twice in a profile or in front matter."),
  faultRule("front-matter", "Front matter that is no YAML, or has keys and values its kind of file does not know."),
  faultRule("unreadable-file", "A file that is no UTF-8 text, is too large or is a folder."),
  faultRule("template-syntax", "Mistakes in the ${} language, all of a file's."),
  faultRule("file-load", "A ${file_load(…)} that finds no file, leads outside or runs in a circle."),
  faultRule("rest-slot", "A prompt without ${rest}: what no slot names would vanish."),
  faultRule("skill", "A skill that does not load, or breaks a limit of the open Agent Skills standard."),
]

function faultRule(name: LintFault["rule"], description: string): LintRule {
  return lintRule(name, description, (context) =>
    faultsOf(context)
      .filter(({ rule }) => rule === name)
      .map(({ severity = "error", message, file, position, hint }) => ({
        severity,
        message,
        file,
        ...position,
        ...(hint === undefined ? {} : { hint }),
      })),
  )
}

function faultsOf({ files, profiles }: LintContext): LintFault[] {
  return [...files, ...profiles].flatMap(({ faults }) => faults)
}
