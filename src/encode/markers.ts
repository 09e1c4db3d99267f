/**
 * What a dialect's own lines look like once folded (see `fold`), so that untrusted text cannot pass for them.
 * Derived from the prompt files, never written by hand.
 */
export interface Markers {
  /** Whole lines: a line equal to one of these is a forgery. */
  readonly lines: ReadonlySet<string>
  /** Beginnings of lines that go on with a value, such as `##` of `## ${key}`. */
  readonly heads: readonly string[]
  /** True when the dialect fences text: then a line that opens or closes a fence is a marker too. */
  readonly fences: boolean
}
