import { lazyPattern } from "../core/lazy-pattern.ts"

const han = lazyPattern(String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]`, "gu")

/** Tokens of a text, estimated: one for a character of Chinese, Japanese or Korean, one for four of anything else. */
export function roughTokens(text: string): number {
  const wide = hanCharacters(text)
  return wide + Math.ceil((text.length - wide) / 4)
}

/** How many characters of Chinese, Japanese or Korean a text has. */
export function hanCharacters(text: string): number {
  return text.match(han())?.length ?? 0
}
