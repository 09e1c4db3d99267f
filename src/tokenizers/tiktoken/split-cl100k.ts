import { charClass, classAt, letterClasses, runEnd, widthAt } from "./char-class.ts"
import type { Split } from "./split.ts"
import { anyCaseContractionEnd, spacesEnd } from "./split-parts.ts"

const otherClasses = charClass.other | charClass.mark
const prefixClasses = otherClasses | charClass.space

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
