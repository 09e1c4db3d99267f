import { charClass, classAt, letterClasses, runEnd, spaceClasses } from "./char-class.ts"
import type { Split } from "./split.ts"
import { contractionEnd, spacesEnd } from "./split-parts.ts"

const otherClasses = charClass.other | charClass.mark

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
