import { charClass, classAt, letterClasses, runEnd, spaceClasses, unitsAt } from "./char-class.ts"

/**
 * Returns the end of the piece that begins at `at`, in UTF-16 offsets of a well-formed text; `at` lies before the text's end. It looks
 * at nothing before `at`. Its work is bounded by the run of like characters around `at`, so splitting is linear.
 */
export type Split = (text: string, at: number) => number

const { other, space, newline, number, mark, upper, lower, caseless } = charClass
const otherClasses = other | mark
const prefixClasses = otherClasses | space

/** gpt2, r50k and p50k: `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`. */
export const splitGpt2: Split = (text, at) => {
  const contraction = contractionEnd(text, at)
  if (contraction > at) return contraction
  const start = text[at] === " " ? at + 1 : at
  const first = classAt(text, start)
  if (first === 0 || (first & spaceClasses) !== 0) return spacesEnd(text, at, false)
  if ((first & letterClasses) !== 0) return runEnd(text, start, letterClasses)
  return runEnd(text, start, first === number ? number : otherClasses)
}

/**
 * cl100k:
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
 */
export const splitCl100k: Split = (text, at) => {
  const contraction = anyCaseContractionEnd(text, at)
  if (contraction > at) return contraction
  const first = classAt(text, at)
  const word = (first & prefixClasses) !== 0 ? at + unitsAt(text, at) : at
  if ((classAt(text, word) & letterClasses) !== 0) return runEnd(text, word, letterClasses)
  if (first === number) return runEnd(text, at, number, 3)
  const others = text[at] === " " ? at + 1 : at
  if ((classAt(text, others) & otherClasses) !== 0) return runEnd(text, runEnd(text, others, otherClasses), newline)
  return spacesEnd(text, at, true)
}

/** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` */
const headClasses = upper | caseless | mark
/** `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` */
const tailClasses = lower | caseless | mark

/**
 * o200k, where C is a contraction:
 * `[^\r\n\p{L}\p{N}]?HEAD*TAIL+C?|[^\r\n\p{L}\p{N}]?HEAD+TAIL*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
 */
export const splitO200k: Split = (text, at) => {
  const first = classAt(text, at)
  const word = wordEnd(text, at, first)
  if (word > at) return anyCaseContractionEnd(text, word)
  if (first === number) return runEnd(text, at, number, 3)
  const others = text[at] === " " ? at + 1 : at
  if ((classAt(text, others) & otherClasses) === 0) return spacesEnd(text, at, true)
  let end = runEnd(text, others, otherClasses)
  while (classAt(text, end) === newline || text[end] === "/") end++
  return end
}

/** The end of the first two alternatives without their contraction, or `at` when neither matches. */
function wordEnd(text: string, at: number, first: number): number {
  const word = (first & prefixClasses) !== 0 ? at + unitsAt(text, at) : at
  const headEnd = runEnd(text, word, headClasses)
  const tailEnd = runEnd(text, headEnd, tailClasses)
  if (tailEnd > headEnd) return tailEnd
  const lastTail = lastTailEnd(text, word, headEnd)
  if (lastTail > word) return lastTail
  // A mark can be the prefix or part of the word. One that fails as a prefix is a word of its own.
  if (first === mark) return word
  return headEnd > word ? headEnd : at
}

/** The pattern backtracks: HEAD* gives characters back until TAIL+ has one. That is the last character which is in both. */
function lastTailEnd(text: string, from: number, to: number): number {
  for (let end = to; end > from; ) {
    const at = end - unitsAt(text, end - 2)
    if ((classAt(text, at) & tailClasses) !== 0) return end
    end = at
  }
  return from
}

/**
 * The end of `\s*[\r\n]+|\s+(?!\S)|\s+`, whose first alternative counts only with `newlinesApart`: white space up to its last newline,
 * else all of it without the last character before a non-space.
 */
function spacesEnd(text: string, at: number, newlinesApart: boolean): number {
  const end = runEnd(text, at, spaceClasses)
  if (end - at === 1) return end
  const run = newlinesApart ? text.slice(at, end) : ""
  const lastNewline = Math.max(run.lastIndexOf("\n"), run.lastIndexOf("\r"))
  if (lastNewline >= 0) return at + lastNewline + 1
  return end === text.length ? end : end - 1
}

const oneLetter: ReadonlySet<string> = new Set(["s", "t", "m", "d"])
const twoLetters: ReadonlySet<string> = new Set(["re", "ve", "ll"])

/** The end of `'s|'t|'re|'ve|'m|'ll|'d`, or `at` when there is none. */
function contractionEnd(text: string, at: number): number {
  if (text[at] !== "'") return at
  if (oneLetter.has(text.charAt(at + 1))) return at + 2
  return twoLetters.has(text.slice(at + 1, at + 3)) ? at + 3 : at
}

/** The same without regard to case. A pattern that ignores case takes `ſ` for an `s`. */
function anyCaseContractionEnd(text: string, at: number): number {
  if (text[at] !== "'") return at
  const letter = text.charAt(at + 1)
  if (letter === "ſ" || oneLetter.has(letter.toLowerCase())) return at + 2
  return twoLetters.has(text.slice(at + 1, at + 3).toLowerCase()) ? at + 3 : at
}
