import { charClass, classAt, runEnd, widthAt } from "./char-class.ts"
import type { Split } from "./split.ts"
import { anyCaseContractionEnd, spacesEnd } from "./split-parts.ts"

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
