import { ascendingLocator } from "../ascending-locator.ts"
import type { LintFile } from "../context.ts"
import { hiddenRuns } from "../hidden-characters.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Characters that nobody sees in a file that people wrote. */
export const invisibleCharacters = lintRule(
  "invisible-characters",
  "Tag characters, direction marks, controls and characters of no width in an authored file.",
  ({ files }) => files.flatMap(inFile),
)

function inFile({ file, text, kind }: LintFile): LintFinding[] {
  const locate = ascendingLocator(text)
  return hiddenRuns(text).map(({ index, length, what, isIdle, isSuspect }) => {
    const position = locate(index)
    const shown = [...text.slice(index, index + length)]
    return {
      severity: isSuspect ? "error" : "warning",
      message: `expected characters one can see, found ${what}: ${named(shown)}.`,
      file,
      ...position,
      hint: "They are taken out before a model sees the text; take them out here too.",
      // In TOML a character between quotes is part of a value.
      ...(isIdle && kind !== "profile" ? { fix: [{ start: index, end: index + length, text: "" }] } : {}),
    }
  })
}

function named(characters: readonly string[]): string {
  const codes = characters.map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`)
  const [first = ""] = codes
  return codes.length === 1 ? first : `${first} and ${codes.length - 1} more`
}
