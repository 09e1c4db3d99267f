import { lazyPattern } from "../../core/lazy-pattern.ts"
import { fileRule, finding } from "../rule.ts"

/** The longest Chinese persona. Another language needs about four letters for one Chinese character. */
const maxHan = 200
const maxLetters = 4 * maxHan

/** Personas that say more than a model keeps in mind (T37). */
export const personaLength = fileRule(
  "persona",
  "persona-length",
  `A persona of more than ${maxHan} characters in Chinese, or ${maxLetters} in other languages.`,
  ({ file, source }) => {
    const text = source?.body.trim() ?? ""
    const length = [...text].length
    const max = hanCharacters(text) > length / 4 ? maxHan : maxLetters
    if (length <= max) return []
    return [
      finding(file, `expected a persona of at most ${max} characters, found ${length}.`, {
        line: source?.firstLine ?? 1,
        hint: "It is part of every prompt: keep who the character is, and move what it knows into skills or memories.",
      }),
    ]
  },
)

const maxSkillTokens = 5_000
const maxSkillLines = 500

/** Skills whose instructions are longer than the open Agent Skills standard recommends. */
export const skillSize = fileRule(
  "skill",
  "skill-size",
  `A skill whose body is longer than ${maxSkillLines} lines or about ${maxSkillTokens} tokens.`,
  ({ file, source }) => {
    const body = source?.body.trim() ?? ""
    const lines = body.split("\n").length
    const tokens = roughTokens(body)
    const found = [
      ...(lines > maxSkillLines ? [`${lines} lines`] : []),
      ...(tokens > maxSkillTokens ? [`about ${tokens} tokens`] : []),
    ].join(" and ")
    if (found === "") return []
    const message = `expected at most ${maxSkillLines} lines and ${maxSkillTokens} tokens of instructions, found ${found}.`
    const hint = "Keep what is always needed. Move the rest into other files of the skill's folder, and name them in the skill."
    return [finding(file, message, { line: source?.firstLine ?? 1, hint })]
  },
)

const han = lazyPattern(String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]`, "gu")

/** The number of Chinese, Japanese and Korean characters in a text. */
function hanCharacters(text: string): number {
  return text.match(han())?.length ?? 0
}

/** An estimate of a text's tokens: one for a Chinese, Japanese or Korean character, one for four of any other. */
function roughTokens(text: string): number {
  const wide = hanCharacters(text)
  return wide + Math.ceil((text.length - wide) / 4)
}
