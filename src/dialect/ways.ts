/** One way in which the output can stand at a point of a template. */
export interface Way {
  /** The literal text of the line at hand; `null` when a value or a known head begins it. */
  readonly line: string | null
  /** The outermost open branch (0 is the file) in which a line break waits for something to follow it; Infinity for none. */
  readonly breakAt: number
  /** The same of a space. */
  readonly spaceAt: number
  /** The outermost open branch in which nothing was printed yet, so that white space is trimmed; Infinity for none. */
  readonly trimsFrom: number
}

/** Ways without repetition. */
export type Ways = ReadonlyMap<string, Way>

/** Where a message begins. */
export const messageStart: Way = { line: "", breakAt: Infinity, spaceAt: Infinity, trimsFrom: 0 }

/** Where something was just printed, at the beginning of a line. */
export const freshLine: Way = { ...messageStart, trimsFrom: Infinity }

/** The ways, each once. */
export function distinctWays(ways: Iterable<Way>): Ways {
  const distinct = new Map<string, Way>()
  for (const way of ways)
    distinct.set(`${way.breakAt} ${way.spaceAt} ${way.trimsFrom} ${way.line === null ? "" : `=${way.line}`}`, way)
  return distinct
}

/** Each way changed. */
export function eachWay(ways: Ways, change: (way: Way) => Way): Ways {
  return distinctWays(ways.values().map(change))
}

/** These ways and those. */
export function eitherWay(these: Ways, those: Ways): Ways {
  return new Map([...these, ...those])
}
