/**
 * A regular expression that is built when it is first used. Sets of Unicode properties take up to a millisecond each to
 * read, even as literals nobody runs, so an import would pay for all of them.
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined
  return () => {
    pattern ??= new RegExp(source, flags)
    return pattern
  }
}
