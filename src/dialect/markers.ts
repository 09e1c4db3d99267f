import { fold } from "../encode/fold.ts"
import type { Markers } from "../encode/lines.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { blankEnd, blankStart } from "../template/blank.ts"

/**
 * Derives what untrusted text must not pass for (T28): every line that a template can print of literal text alone, and
 * the literal beginnings of lines that go on with a value. Branches and placeholders count as they are printed.
 */
export function deriveMarkers(templates: Iterable<Template>): Markers {
  const found: FoundLines = { lines: new Set(), heads: new Set(), fences: false }
  for (const template of templates) collectLines(template.nodes, found)
  return { lines: found.lines, heads: shortest(found.heads), fences: found.fences }
}

/** The heads that no other head is the beginning of. */
function shortest(heads: ReadonlySet<string>): string[] {
  const kept: string[] = []
  for (const head of [...heads].sort()) {
    const last = kept.at(-1)
    if (last === undefined || !head.startsWith(last)) kept.push(head)
  }
  return kept
}

/** What the lines of templates look like, folded. */
interface FoundLines {
  /** Lines of literal text alone. */
  readonly lines: Set<string>
  /** Literal text that a line begins with before a value. */
  readonly heads: Set<string>
  /** True when a value is fenced. */
  fences: boolean
}

/** How many ways a line may begin before its beginnings are taken for heads: each conditional on a line doubles them. */
const maxWays = 16

/** How many branches are open, and what was found. */
interface Walk {
  readonly depth: number
  readonly found: FoundLines
}

/**
 * Adds every line that the nodes can print, whichever way the conditionals go; a slot prints its value or its placeholder.
 * As where frames are printed, white space waits until something follows it and is dropped at a branch's two ends.
 */
function collectLines(nodes: readonly TemplateNode[], found: FoundLines): void {
  const ways = follow(nodes, distinctWays([messageStart]), { depth: 0, found })
  for (const way of ways.values()) endLine(way, found)
}

function follow(nodes: readonly TemplateNode[], before: Ways, walk: Walk): Ways {
  return nodes.reduce((ways, node) => bounded(step(node, ways, walk), walk.found), before)
}

function step(node: TemplateNode, ways: Ways, walk: Walk): Ways {
  const { found } = walk
  switch (node.type) {
    case "literal":
      return eachWay(ways, (way) => addText(node.text, way, walk))
    case "conditional":
      return eitherWay(branch(node.then, ways, walk), branch(node.otherwise, ways, walk))
    case "slot": {
      found.fences ||= node.encoder === "fence"
      const valued = eachWay(ways, (way) => addValue(way, found))
      return node.placeholder ? eitherWay(valued, branch(node.placeholder, ways, walk)) : valued
    }
    default:
      for (const way of ways.values()) endLine(way, found)
      return distinctWays([messageStart])
  }
}

function branch(nodes: readonly TemplateNode[], ways: Ways, { depth, found }: Walk): Ways {
  const outside = (at: number) => (at > depth ? Infinity : at)
  const opened = eachWay(ways, (way) => ({ ...way, trimsFrom: Math.min(way.trimsFrom, depth + 1) }))
  return eachWay(follow(nodes, opened, { depth: depth + 1, found }), (way) => ({
    line: way.line,
    breakAt: outside(way.breakAt),
    spaceAt: outside(way.spaceAt),
    trimsFrom: outside(way.trimsFrom),
  }))
}

function addText(text: string, before: Way, { depth, found }: Walk): Way {
  let way = before
  for (const [i, line] of text.split("\n").entries()) {
    const [start, end] = [blankStart(line), blankEnd(line)]
    const isTrimmed = way.trimsFrom <= depth
    if (i > 0 && !isTrimmed) way = { ...way, breakAt: Math.min(way.breakAt, depth) }
    if (start > 0 && !isTrimmed) way = { ...way, spaceAt: Math.min(way.spaceAt, depth) }
    if (start < end) way = addWords(line.slice(start, end), way, found)
    if (start < end && end < line.length) way = { ...way, spaceAt: depth }
  }
  return way
}

function addWords(words: string, way: Way, found: FoundLines): Way {
  if (way.breakAt < Infinity) {
    endLine(way, found)
    return { ...freshLine, line: words }
  }
  const space = way.spaceAt < Infinity ? " " : ""
  return { ...freshLine, line: way.line === null ? null : way.line + space + words }
}

function addValue(way: Way, found: FoundLines): Way {
  if (way.breakAt < Infinity) endLine(way, found)
  else addHead(way, found)
  return { ...freshLine, line: null }
}

function endLine({ line }: Way, found: FoundLines): void {
  const folded = fold(line ?? "")
  if (folded !== "") found.lines.add(folded)
}

function addHead({ line }: Way, found: FoundLines): void {
  const head = fold(line ?? "")
  if (!isBullet(head)) found.heads.add(head)
}

/** Too many ways: what a line holds so far becomes a head, which covers however it goes on. */
function bounded(ways: Ways, found: FoundLines): Ways {
  if (ways.size <= maxWays) return ways
  return eachWay(ways, (way) => {
    addHead(way, found)
    return isBullet(fold(way.line ?? "")) ? way : { ...way, line: null }
  })
}

/** Nothing, or what begins an item of a list in any text. */
function isBullet(head: string): boolean {
  return /^(?:[-*+•]|\d+[.)])?$/.test(head)
}

/** One way in which the output can stand at a point of a template. */
interface Way {
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
type Ways = ReadonlyMap<string, Way>

/** Where a message begins. */
const messageStart: Way = { line: "", breakAt: Infinity, spaceAt: Infinity, trimsFrom: 0 }

/** Where something was just printed, at the beginning of a line. */
const freshLine: Way = { ...messageStart, trimsFrom: Infinity }

/** The ways, each once. */
function distinctWays(ways: Iterable<Way>): Ways {
  const distinct = new Map<string, Way>()
  for (const way of ways)
    distinct.set(`${way.breakAt} ${way.spaceAt} ${way.trimsFrom} ${way.line === null ? "" : `=${way.line}`}`, way)
  return distinct
}

/** Each way changed. */
function eachWay(ways: Ways, change: (way: Way) => Way): Ways {
  return distinctWays(ways.values().map(change))
}

/** These ways and those. */
function eitherWay(these: Ways, those: Ways): Ways {
  return new Map([...these, ...those])
}
