import { lazyPattern } from "../../core/lazy-pattern.ts"

const symbols: ReadonlyMap<string, string> = new Map([
  ["×", "*"],
  ["⋅", "*"],
  ["·", "*"],
  ["∙", "*"],
  ["÷", "/"],
  ["∕", "/"],
  ["−", "-"],
  ["–", "-"],
  ["。", "."],
  ["【", "("],
  ["】", ")"],
  ["²", "^2"],
  ["³", "^3"],
])

/** A `%` before what may begin an operand. */
const remainder = lazyPattern(String.raw`%(?=\s*[\p{L}\p{N}.(])`, "gu")

/** The parser's postfix operator that stands for a percentage; in what people write it means nothing. */
const percentMark = "'"

/**
 * An expression as people write it in the form a parser reads: full-width characters narrow, `×`, `÷`, `−`, `²` and `**`
 * as operators, a final `=` gone. A `%` before a number, a name or `(` is a remainder, any other one a percentage. Only these
 * change: other compatibility characters (½, ①) could turn into a wrong number. Throws for a {@link percentMark} in the text.
 */
export function normaliseExpression(text: string): string {
  const expression = narrowed(text)
  if (expression.includes(percentMark)) throw new Error(percentMark)
  // The parser would try both readings of each %, which takes exponentially long where they are nested.
  return expression.replaceAll(remainder(), " mod ").replaceAll("%", percentMark)
}

function narrowed(text: string): string {
  return text
    .replaceAll(/[\uff01-\uff5e\u3000]/g, (wide) => wide.normalize("NFKC"))
    .replaceAll(/[^\0-\x7f]/g, (character) => symbols.get(character) ?? character)
    .replaceAll("**", "^")
    .trim()
    .replace(/=\s?\??$/, "")
    .trim()
}
