import { charClass, classAt, letterClasses, runEnd, spaceClasses, widthAt } from "./char-class.ts"

/**
 * Where the piece that begins at `at` ends, in UTF-16 offsets of a well-formed text; `at` is before the text's end.
 * Looks at nothing before `at`. Its work is bounded by the run of like characters it is in, so splitting is linear.
 */
export type Split = (text: string, at: number) => number

/**
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`:
 * cl100k.
 */
export const splitCl100k: Split = (text, at) => {
  const contraction = anyCaseContractionEnd(text, at)
  if (contraction > at) return contraction
  const first = classAt(text, at)
  const word = (first & prefixClasses) !== 0 ? at + widthAt(text, at) : at
  if ((classAt(text, word) & letterClasses) !== 0) return runEnd(text, word, letterClasses)
  if (first === charClass.number) return runEnd(text, at, charClass.number, 3)
  const others = text[at] === " " ? at + 1 : at
  if ((classAt(text, others) & otherClasses) !== 0) return runEnd(text, runEnd(text, others, otherClasses), charClass.newline)
  return spacesEnd(text, at, true)
}

/** `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`: gpt2, r50k and p50k. */
export const splitGpt2: Split = (text, at) => {
  const contraction = contractionEnd(text, at)
  if (contraction > at) return contraction
  const start = text[at] === " " ? at + 1 : at
  const first = classAt(text, start)
  if (first === 0 || (first & spaceClasses) !== 0) return spacesEnd(text, at, false)
  if ((first & letterClasses) !== 0) return runEnd(text, start, letterClasses)
  return runEnd(text, start, first === charClass.number ? charClass.number : otherClasses)
}

const { other, space, newline, number, mark, upper, lower, caseless } = charClass

/** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` */
const headClasses = upper | caseless | mark
/** `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` */
const tailClasses = lower | caseless | mark
const otherClasses = other | mark
const prefixClasses = otherClasses | space

/**
 * `[^\r\n\p{L}\p{N}]?HEAD*TAIL+C?|[^\r\n\p{L}\p{N}]?HEAD+TAIL*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 * with C a contraction: o200k.
 */
export const splitO200k: Split = (text, at) => {
  const first = classAt(text, at)
  const word = wordEnd(text, at, first)
  if (word > at) return anyCaseContractionEnd(text, word)
  if (first === number) return runEnd(text, at, number, 3)
  const others = text[at] === " " ? at + 1 : at
  if ((classAt(text, others) & otherClasses) !== 0) return newlinesAndSlashesEnd(text, runEnd(text, others, otherClasses))
  return spacesEnd(text, at, true)
}

/** The first two alternatives without their contraction: the end, or `at` where neither matches. */
function wordEnd(text: string, at: number, first: number): number {
  const word = (first & prefixClasses) !== 0 ? at + widthAt(text, at) : at
  const headEnd = runEnd(text, word, headClasses)
  const tailEnd = runEnd(text, headEnd, tailClasses)
  if (tailEnd > headEnd) return tailEnd
  const lastTail = lastTailEnd(text, word, headEnd)
  if (lastTail > word) return lastTail
  // A mark may be the prefix or belong to the word: what fails as a prefix is a word of its own.
  if (first === mark) return word
  return headEnd > word ? headEnd : at
}

/** HEAD* gives back until TAIL+ has a character: the end of the last one between that is in both. */
function lastTailEnd(text: string, from: number, to: number): number {
  for (let end = to; end > from; ) {
    const at = end - (end - 2 >= from && widthAt(text, end - 2) === 2 ? 2 : 1)
    if ((classAt(text, at) & tailClasses) !== 0) return end
    end = at
  }
  return from
}

function newlinesAndSlashesEnd(text: string, at: number): number {
  let end = at
  while (classAt(text, end) === newline || text[end] === "/") end++
  return end
}

/**
 * `\s*[\r\n]+|\s+(?!\S)|\s+`, the first part where `newlinesApart`: white space up to its last newline, else all of it
 * but the one character before what follows.
 */
function spacesEnd(text: string, at: number, newlinesApart: boolean): number {
  const end = runEnd(text, at, spaceClasses)
  if (newlinesApart) {
    for (let after = end; after > at; after--) if (classAt(text, after - 1) === charClass.newline) return after
  }
  return end === text.length || end - at === 1 ? end : end - 1
}

/** `'s|'t|'re|'ve|'m|'ll|'d`: its end, or `at` where there is none. */
function contractionEnd(text: string, at: number): number {
  if (text[at] !== "'") return at
  if (oneLetter.has(text.charAt(at + 1))) return at + 2
  return twoLetters.has(text.slice(at + 1, at + 3)) ? at + 3 : at
}

/** The same in either case. `ſ` is an `s` to a pattern that ignores case. */
function anyCaseContractionEnd(text: string, at: number): number {
  if (text[at] !== "'") return at
  const letter = text.charAt(at + 1)
  if (letter === "ſ" || oneLetter.has(letter.toLowerCase())) return at + 2
  return twoLetters.has(text.slice(at + 1, at + 3).toLowerCase()) ? at + 3 : at
}

const oneLetter: ReadonlySet<string> = new Set(["s", "t", "m", "d"])
const twoLetters: ReadonlySet<string> = new Set(["re", "ve", "ll"])
