import { type Look, squash, withoutUnseen } from "./fold.ts"

import data from "./look-alikes.json" with { type: "json" }

const lookOf = new Map(
  [data.looks, data.used].flatMap((table) =>
    Object.entries(table).flatMap(([shown, seen]) => [...seen].map((character) => [character, shown])),
  ),
)

const lookAlike = new RegExp(`[${[...lookOf.keys()].join("")}]`, "gu")

/** A text in the ASCII and Han that it looks like; what has no such look stays. */
function plainLook(text: string): string {
  return text.replace(lookAlike, (character) => lookOf.get(character) ?? character)
}

/** A text without the emphasis, quotes or brackets around a name at its beginning. */
function undecorated(text: string): string {
  return text
    .replace(/^[\\\s*_~`"'“‘«「『【《<[]+/, "")
    .replace(/^\(([^()]{0,200})\)/, "$1")
    .replace(/[*_~`"'”’»」』】》>\]]{1,8}(?=\s{0,8}(?::|$))/, "")
}

/** The look of a text, without blanks. Letters that look alike in ASCII become the same. */
function looksOf(text: string): string {
  return squash(
    undecorated(plainLook(text))
      .replace(/[iI|1]/g, "l")
      .replaceAll("0", "O")
      .replaceAll("m", "rn"),
  )
}

const cases: readonly Look[] = [(text) => text, (text) => text.toLowerCase(), (text) => text.toUpperCase()]

/** The looks of a text as it is written, in lower and in upper case: В looks like B, and в does not (UTS 39). For `Markers.looks`. */
// A character is looked up before it is normalised, too: that makes a final sigma of ϲ and two dots of ︰.
export const looks = cases.map(
  (change): Look =>
    (text) =>
      looksOf(withoutUnseen(plainLook(change(text)))),
)
