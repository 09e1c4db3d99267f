import { type Look, withoutUnseen } from "./fold.ts"
import { squash } from "./lines.ts"
import data from "./look-alikes.json" with { type: "json" }

const ascii = new Map(Object.entries(data.looks).flatMap(([shown, seen]) => [...seen].map((character) => [character, shown])))

/** A text in the ASCII that it looks like; what has no such look stays. */
function inAscii(text: string): string {
  let seen = ""
  for (const character of text) seen += ascii.get(character) ?? character
  return seen
}

/** The look of a text, without blanks. Letters that look alike in ASCII become the same. */
function looksOf(text: string): string {
  return squash(inAscii(text).replace(/[I|1]/g, "l").replaceAll("0", "O").replaceAll("m", "rn"))
}

/** The looks of a text as it is written, in lower and in upper case: В looks like B, and в does not (UTS 39). For `Markers.looks`. */
export const looks: readonly Look[] = [
  // Also before it is normalised, which makes a final sigma of ϲ.
  (text) => looksOf(withoutUnseen(inAscii(text))),
  (text) => looksOf(withoutUnseen(text).toLowerCase()),
  (text) => looksOf(withoutUnseen(text).toUpperCase()),
]
