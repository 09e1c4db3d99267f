import { charClass, classAt, runEnd, spaceClasses } from "./char-class.ts"

/**
 * `\s*[\r\n]+|\s+(?!\S)|\s+`, the first part where `newlinesApart`: white space up to its last newline, else all of it
 * but the one character before what follows.
 */
export function spacesEnd(text: string, at: number, newlinesApart: boolean): number {
  const end = runEnd(text, at, spaceClasses)
  if (newlinesApart) {
    for (let after = end; after > at; after--) if (classAt(text, after - 1) === charClass.newline) return after
  }
  return end === text.length || end - at === 1 ? end : end - 1
}

/** `'s|'t|'re|'ve|'m|'ll|'d`: its end, or `at` where there is none. */
export function contractionEnd(text: string, at: number): number {
  if (text[at] !== "'") return at
  if (oneLetter.has(text.charAt(at + 1))) return at + 2
  return twoLetters.has(text.slice(at + 1, at + 3)) ? at + 3 : at
}

/** The same in either case. `ſ` is an `s` to a pattern that ignores case. */
export function anyCaseContractionEnd(text: string, at: number): number {
  if (text[at] !== "'") return at
  const letter = text.charAt(at + 1)
  if (letter === "ſ" || oneLetter.has(letter.toLowerCase())) return at + 2
  return twoLetters.has(text.slice(at + 1, at + 3).toLowerCase()) ? at + 3 : at
}

const oneLetter: ReadonlySet<string> = new Set(["s", "t", "m", "d"])
const twoLetters: ReadonlySet<string> = new Set(["re", "ve", "ll"])
