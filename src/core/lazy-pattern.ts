/**
 * A regular expression that is built when it is first used. Each set of Unicode properties takes up to a millisecond to
 * compile, even in a literal that never runs, so an import would pay for all of them.
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined
  return () => {
    pattern ??= new RegExp(source, flags)
    return pattern
  }
}
