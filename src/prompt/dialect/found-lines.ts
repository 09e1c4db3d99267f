import { fold, squash } from "../encode/fold.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { blankEnd, blankStart } from "../template/frame-writer.ts"
import { type FoundLines, isBracket, shortest, valueMark } from "./markers.ts"

/**
 * Finds every line that a template can print from literal text alone, every literal beginning of a line that goes on with a value,
 * and every line that begins with the name of a speaker or a tool, or with other values and then with such a name. All branches are followed; a slot prints its value or its
 * placeholder. White space is handled as in printing: it is printed only before text that follows it, and not at the two ends of a
 * branch.
 */
export function findLines({ nodes }: Template): FoundLines {
  const found: OpenLines = { lines: new Set(), heads: new Set(), frames: new Set(), fences: false, signs: false }
  const ways = follow(nodes, distinctWays([messageStart]), { depth: 0, found })
  for (const way of ways.values()) endLine(way, found)
  const { lines, heads, frames, fences, signs } = found
  return { lines: [...lines], heads: shortest(heads), frames: [...frames], fences, signs }
}

/** The lines that were found so far. */
interface OpenLines {
  readonly lines: Set<string>
  readonly heads: Set<string>
  readonly frames: Set<string>
  fences: boolean
  signs: boolean
}

/** The most ways of a line that are followed, because each conditional doubles them. With more, its beginnings become heads. */
const maxWays = 16

/** The number of open branches, and the lines found so far. */
interface Walk {
  readonly depth: number
  readonly found: OpenLines
}

function follow(nodes: readonly TemplateNode[], before: OutputStates, walk: Walk): OutputStates {
  return nodes.reduce((ways, node) => bounded(step(node, ways, walk), walk.found), before)
}

function step(node: TemplateNode, ways: OutputStates, walk: Walk): OutputStates {
  const { found } = walk
  switch (node.type) {
    case "literal":
      return eachWay(ways, (way) => addText(node.text, way, walk))
    case "conditional":
      return eitherWay(branch(node.then, ways, walk), branch(node.otherwise, ways, walk))
    case "slot": {
      found.fences ||= node.encoder === "fence"
      found.signs ||= node.encoder === "transcript"
      const valued = eachWay(ways, (way) => addValue(node.name, way, found))
      return node.placeholder ? eitherWay(valued, branch(node.placeholder, ways, walk)) : valued
    }
    default:
      for (const way of ways.values()) endLine(way, found)
      return distinctWays([messageStart])
  }
}

function branch(nodes: readonly TemplateNode[], ways: OutputStates, { depth, found }: Walk): OutputStates {
  const outside = (at: number) => (at > depth ? Infinity : at)
  const opened = eachWay(ways, (way) => ({ ...way, trimsFrom: Math.min(way.trimsFrom, depth + 1) }))
  return eachWay(follow(nodes, opened, { depth: depth + 1, found }), (way) => ({
    line: way.line,
    breakAt: outside(way.breakAt),
    spaceAt: outside(way.spaceAt),
    trimsFrom: outside(way.trimsFrom),
  }))
}

function addText(text: string, before: OutputState, { depth, found }: Walk): OutputState {
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

function addWords(words: string, way: OutputState, found: OpenLines): OutputState {
  if (way.breakAt < Infinity) {
    endLine(way, found)
    return { ...freshLine, line: words }
  }
  const space = way.spaceAt < Infinity ? " " : ""
  return { ...freshLine, line: way.line === null ? null : way.line + space + words }
}

/** The slots whose values are names that a prompt's other lines show too, so that a reader knows them. */
const nameSlots: ReadonlySet<string> = new Set(["speaker", "tool"])

function addValue(name: string, way: OutputState, found: OpenLines): OutputState {
  const isFirst = way.breakAt < Infinity
  if (isFirst) endLine(way, found)
  const line = isFirst ? "" : way.line
  const isName = nameSlots.has(name)
  // A line that begins with another value, such as a time, is a frame if a name follows.
  const isFrame =
    line !== null && (line === "" || line.includes(valueMark) || (isName && (isBullet(fold(line)) || isBracket(line))))
  if (!isFirst && !isFrame) addHead(way, found)
  return { ...freshLine, line: isFrame ? line + valueMark + (isName ? name : "") + valueMark : null }
}

function endLine({ line }: OutputState, found: OpenLines): void {
  if (line?.includes(valueMark)) addFrame(line, found)
  else if (line !== null && fold(line) !== "") found.lines.add(fold(line))
}

function addFrame(line: string, found: OpenLines): void {
  const parts = line.split(valueMark)
  // Without a name, any text may be such a line.
  if (parts.some((slot, index) => index % 2 === 1 && slot !== "")) found.frames.add(parts.map(squash).join(valueMark))
}

function addHead({ line }: OutputState, found: OpenLines): void {
  const head = fold(line ?? "")
  if (line?.includes(valueMark)) addFrame(line + valueMark + valueMark, found)
  else if (!isBullet(head)) found.heads.add(head)
}

/** Limits the ways. If there are too many, the line so far becomes a head or a frame, which covers every way in which it can go on. */
function bounded(given: OutputStates, found: OpenLines): OutputStates {
  if (given.size <= maxWays) return given
  const ways = eachWay(given, (way) => (way.line?.startsWith(valueMark + valueMark) ? ended(way, found) : way))
  if (ways.size <= maxWays) return ways
  return eachWay(ways, (way) => {
    addHead(way, found)
    return way.line?.includes(valueMark) !== true && isBullet(fold(way.line ?? "")) ? way : { ...way, line: null }
  })
}

function ended(way: OutputState, found: OpenLines): OutputState {
  addHead(way, found)
  return { ...way, line: null }
}

/** True for an empty head and for a list bullet, with which any text may begin a line. */
function isBullet(head: string): boolean {
  return /^(?:[-*+•]|\d+[.)])?$/.test(head)
}

/** One possible state of the output at a point of a template. */
interface OutputState {
  /** The literal text of the current line, with its values if it begins with one; `null` if it begins with a known head. */
  readonly line: string | null
  /** The outermost open branch (0 is the file) that has a line break not printed yet; Infinity for none. */
  readonly breakAt: number
  /** The same for a space. */
  readonly spaceAt: number
  /** The outermost open branch in which nothing was printed yet, so that white space is left out; Infinity for none. */
  readonly trimsFrom: number
}

/** Different ways, by everything that makes them different. */
type OutputStates = ReadonlyMap<string, OutputState>

/** The state at the beginning of a message. */
const messageStart: OutputState = { line: "", breakAt: Infinity, spaceAt: Infinity, trimsFrom: 0 }

/** The state after something was printed. */
const freshLine: OutputState = { ...messageStart, trimsFrom: Infinity }

function distinctWays(ways: Iterable<OutputState>): OutputStates {
  const distinct = new Map<string, OutputState>()
  for (const way of ways)
    distinct.set(`${way.breakAt} ${way.spaceAt} ${way.trimsFrom} ${way.line === null ? "" : `=${way.line}`}`, way)
  return distinct
}

function eachWay(ways: OutputStates, change: (way: OutputState) => OutputState): OutputStates {
  return distinctWays(ways.values().map(change))
}

function eitherWay(these: OutputStates, those: OutputStates): OutputStates {
  return new Map([...these, ...those])
}
