import type { LintFile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { hanCharacters } from "../rough-tokens.ts"
import { lintRule } from "../rule.ts"

/** Of a Chinese persona; another language needs about four letters for one such character. */
const maxHan = 200
const maxLetters = 4 * maxHan

/** Personas that say more than a model keeps in mind (T37). */
export const personaLength = lintRule(
  "persona-length",
  `A persona of more than ${maxHan} characters in Chinese, or ${maxLetters} in other languages.`,
  ({ files }) => files.filter(({ kind }) => kind === "persona").flatMap(inPersona),
)

function inPersona({ file, source }: LintFile): LintFinding[] {
  if (source === undefined) return []
  const text = source.body.trim()
  const length = [...text].length
  const max = hanCharacters(text) > length / 4 ? maxHan : maxLetters
  if (length <= max) return []
  return [
    {
      severity: "warning",
      message: `expected a persona of at most ${max} characters, found ${length}.`,
      file,
      line: source.firstLine,
      column: 1,
      hint: "It stands in every prompt: keep who the character is, and move what it knows into skills or memories.",
    },
  ]
}
