/** A part of a pattern. Characters are tested by `set`, an expression for one character that the host's own `RegExp` understands. */
export type PatternNode =
  | { readonly kind: "set"; readonly set: string }
  | { readonly kind: "assertion"; readonly name: "start" | "end" | "boundary" | "notBoundary" }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number }

/** A part of a pattern that a linear engine cannot follow. */
export class UnfollowablePattern {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The reason why a pattern is not searched for. */
export interface Refusal {
  readonly refused: string
}

/** Gives a pattern of a stranger, as the host and as a tree, to `make`. The result is the reason if it cannot be followed. */
export function followed<Made>(source: string, flags: string, make: (host: RegExp, root: PatternNode) => Made): Made | Refusal {
  try {
    const host = new RegExp(source, flags)
    if (host.flags.includes("v")) return { refused: "the flag v is not supported" }
    return make(host, parsePattern(source, host.flags.includes("u")))
  } catch (thrown) {
    if (thrown instanceof UnfollowablePattern) return { refused: thrown.reason }
    if (thrown instanceof SyntaxError) return { refused: thrown.message }
    throw thrown
  }
}

/** Deeper groups would fill the call stack. */
const maxDepth = 100

/**
 * Parses the source of a regular expression that the host has already accepted, so that only what it accepts has to be understood.
 * Throws {@link UnfollowablePattern} for a look-around or a backreference.
 */
function parsePattern(source: string, unicode: boolean): PatternNode {
  let at = 0
  let depth = 0
  const refuse = (found: string): never => {
    throw new UnfollowablePattern(`${found} cannot be searched for in linear time`)
  }
  const take = (text: string): boolean => {
    if (!source.startsWith(text, at)) return false
    at += text.length
    return true
  }

  const choice = (): PatternNode => {
    if (++depth > maxDepth) refuse(`a pattern with more than ${maxDepth} groups inside each other`)
    const nodes = [sequence()]
    while (take("|")) nodes.push(sequence())
    depth--
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: "choice", nodes }
  }

  const sequence = (): PatternNode => {
    const nodes: PatternNode[] = []
    while (at < source.length && source[at] !== "|" && source[at] !== ")") nodes.push(repeated(atom()))
    return { kind: "sequence", nodes }
  }

  const repeated = (node: PatternNode): PatternNode => {
    const counts = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y
    counts.lastIndex = at
    const [whole, sign, least, comma, most] = counts.exec(source) ?? []
    if (whole === undefined) return node
    at += whole.length
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0
    const exact = comma === undefined ? min : most ? Number(most) : Number.POSITIVE_INFINITY
    return { kind: "repeat", node, min, max: sign === undefined ? exact : sign === "?" ? 1 : Number.POSITIVE_INFINITY }
  }

  const atom = (): PatternNode => {
    if (take("^")) return { kind: "assertion", name: "start" }
    if (take("$")) return { kind: "assertion", name: "end" }
    if (take("(")) return group()
    if (take("\\b")) return { kind: "assertion", name: "boundary" }
    if (take("\\B")) return { kind: "assertion", name: "notBoundary" }
    return { kind: "set", set: source[at] === "[" ? bracket() : source[at] === "\\" ? escaped() : literal() }
  }

  const group = (): PatternNode => {
    if (/^\?<?[=!]/.test(source.slice(at, at + 3))) refuse("a look-around")
    if (take("?") && !take(":")) {
      if (source[at] !== "<") refuse("a group with flags of its own")
      at = source.indexOf(">", at) + 1
    }
    const node = choice()
    take(")")
    return node
  }

  const bracket = (): string => {
    const start = at++
    while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1
    at++
    return source.slice(start, at)
  }

  const escaped = (): string => {
    if (/^\\(?:[1-9]|k<)/.test(source.slice(at, at + 3))) refuse("a backreference")
    const forms = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}(?:\\u[0-9a-f]{4})?|x[0-9a-f]{2}|[pP]\{[^}]*\}|c[a-z]|0[0-7]{0,2}|.)/isy
    forms.lastIndex = at
    let whole = forms.exec(source)?.[0] ?? "\\\\"
    // Two escaped units are one character in a pattern with the flag u alone; `\u{…}` and `\p{…}` are characters there alone.
    if (!unicode) whole = /^\\u[0-9a-f]{4}/i.exec(whole)?.[0] ?? (/^\\[upP]\{/.test(whole) ? whole.slice(0, 2) : whole)
    else if (/^\\u[0-9a-f]{4}\\/i.test(whole) && !/^\\ud[89ab].{2}\\ud[c-f]/i.test(whole)) whole = whole.slice(0, 6)
    at += whole.length
    return whole
  }

  const literal = (): string => {
    const found = unicode ? String.fromCodePoint(source.codePointAt(at) ?? 0) : (source[at] as string)
    at += found.length
    return /[/{}\]]/.test(found) ? `\\${found}` : found
  }

  return choice()
}
