import { checkOptions } from "../../src/core/check-options.ts"
import { messageOf } from "../../src/core/errors.ts"
import { didYouMean } from "../../src/core/suggest.ts"

/**
 * Sentences that many errors share, for tests of what these errors name. Their words are held by the tests of `src/core/suggest.ts` and
 * `src/core/check-options.ts`, and by the goldens of errors.
 */

/** ` Did you mean "x"?` */
export function near(name: string): string {
  return throughName(didYouMean(name, [name]), `${JSON.stringify(name)}?`)
}

/** `f has no option "x".` */
export function noOption(of: string, name: string): string {
  let message = ""
  try {
    checkOptions(of, { [name]: 1 }, {})
  } catch (error) {
    message = messageOf(error)
  }
  return throughName(message, `${JSON.stringify(name)}.`)
}

/** The sentence up to its end, which names what it is about: without it, a test would hold nothing. */
function throughName(sentence: string, end: string): string {
  const at = sentence.indexOf(end)
  if (at <= 0) throw new Error(`expected a sentence that ends in ${end}, found ${JSON.stringify(sentence)}`)
  return sentence.slice(0, at + end.length)
}
