import { lazyPattern } from "../../core/lazy-pattern.ts"
import { fold } from "../../encode/fold.ts"

/** Letters and digits of scripts that part words by spaces; in the others a word may begin and end anywhere. */
const spaced = lazyPattern(
  String.raw`[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]]`,
  "v",
)

/** A key made ready to be looked for: folded, and whether its ends are those of a word. */
export interface FoldedKey {
  readonly text: string
  readonly opensWord: boolean
  readonly closesWord: boolean
}

/** Makes a key ready; its text is empty where the key has nothing that shows. */
export function foldKey(key: string): FoldedKey {
  const text = fold(key)
  return { text, opensWord: isSpaced(firstOf(text)), closesWord: isSpaced(lastOf(text)) }
}

/**
 * True where a folded text has the key: case, width and accents make no difference, and a key of letters is a whole word:
 * `fay` is in "FAY!" and 我叫Fay吗, not in "fayette"; 旧书 is in 旧书店.
 */
export function hasKey(folded: string, { text, opensWord, closesWord }: FoldedKey): boolean {
  if (text === "") return false
  for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) {
    const end = at + text.length
    const isInWord =
      (opensWord && isSpaced(lastOf(folded.slice(Math.max(0, at - 2), at)))) ||
      (closesWord && isSpaced(firstOf(folded.slice(end, end + 2))))
    if (!isInWord) return true
  }
  return false
}

function isSpaced(character: string): boolean {
  return spaced().test(character)
}

function firstOf(text: string): string {
  return [...text.slice(0, 2)].at(0) ?? ""
}

function lastOf(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ""
}
