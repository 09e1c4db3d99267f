import type { PatternNode } from "./pattern-syntax.ts"

/** The work that patterns may still do, 1 for each character that the host's `RegExp` reads, and the keys for which none was left. */
export interface PatternWork {
  left: number
  readonly leftOut: Set<number>
}

/** The characters of some sets in one text, worked out once for all patterns. */
export type SetRuns = Map<string, { readonly count: number; readonly longest: number }>

/**
 * True for a text in which the pattern occurs. Takes time that grows with the text, whatever the pattern, and takes it from `work`. Give
 * all patterns of one text the same `runs`.
 */
export type TextTest = (text: string, work: PatternWork, runs?: SetRuns) => boolean

/** The steps of the host that take about as long as one character that it passes over. */
export const stepsOfCharacter = 8

/**
 * The most work of the host in a text. A match begins only where its first character can stand, and a set repeats at most as often as in
 * its longest run in the text. Above `most` the work is no longer counted.
 */
export function hostCost(root: PatternNode, flags: string) {
  const first = firstOf(root)
  return (text: string, most: number, work: PatternWork, runs: SetRuns): number => {
    const runsOf = (set: string) => {
      const name = `${flags} ${set}`
      const known = runs.get(name)
      if (known) return known
      work.left -= text.length
      const found = text.match(new RegExp(`(?:${set})+`, `${flags}g`)) ?? []
      const counted = { count: found.join("").length, longest: found.reduce((most, { length }) => Math.max(most, length), 0) }
      runs.set(name, counted)
      return counted
    }
    const starts = first === undefined ? text.length + 1 : runsOf(first).count
    const longest = (node: PatternNode) => (node.kind === "set" ? runsOf(node.set).longest : text.length + 1)
    const steps = hostSteps(root, 1, { most: (most * stepsOfCharacter) / Math.max(1, starts), longest })
    return text.length + (starts * steps) / stepsOfCharacter
  }
}

/** The characters with which a match can begin; undefined if they are not known. */
export function firstOf(node: PatternNode): string | undefined {
  if (node.kind === "set") return node.set
  if (node.kind === "repeat") return node.min > 0 ? firstOf(node.node) : undefined
  if (node.kind === "choice") return anyOf(node.nodes)
  if (node.kind === "assertion") return undefined
  const parts = node.nodes.filter(({ kind }) => kind !== "assertion")
  const needed = parts.findIndex((part) => part.kind !== "repeat" || part.min > 0)
  const first = parts.slice(0, needed + 1)
  return first.length === 0 ? undefined : anyOf(first.map((part) => (part.kind === "repeat" ? part.node : part)))
}

/** The characters with which one of some nodes begins; undefined for so many that trying them is more than passing over a character. */
function anyOf(nodes: readonly PatternNode[]): string | undefined {
  const sets = nodes.map(firstOf)
  const any = sets.join("|")
  return sets.includes(undefined) || any.split("|").length > stepsOfCharacter ? undefined : any
}

/** The bounds of a count of steps. No node repeats more often than `longest` says. */
interface StepBounds {
  readonly most: number
  longest(node: PatternNode): number
}

/**
 * The most steps of a search that goes back and tries again, from one place of a text, with `after` steps behind the node. Above
 * `most` it no longer counts.
 */
export function hostSteps(node: PatternNode, after: number, bounds: StepBounds): number {
  if (node.kind === "sequence") return node.nodes.reduceRight((rest, part) => hostSteps(part, rest, bounds), after)
  if (node.kind === "choice") return node.nodes.reduce((sum, part) => sum + hostSteps(part, after, bounds), 0)
  if (node.kind !== "repeat") return after + 1
  let steps = after
  const times = steps > bounds.most ? 0 : Math.min(node.max, bounds.longest(node.node))
  for (let at = 0; at < times && steps <= bounds.most; at++) {
    const before = steps
    steps = hostSteps(node.node, before, bounds) + (at < times - node.min ? after : 0)
    if (steps === before) break
  }
  return steps
}

/**
 * False for a text that lacks a piece, or has them in another order; true as well once no work is left. The host finds a piece in linear
 * time, and much sooner than our own search a pattern: most texts lack one of its pieces.
 */
export function orderTest(pieces: readonly string[], flags: string): TextTest {
  const hosts = pieces.map((piece) => new RegExp(piece, `${flags}g`))
  return (text, work) => {
    let from = 0
    return hosts.every((host) => {
      // All of a choice is tried at each place.
      work.left -= (text.length - from) * (host.source.includes("|") ? Math.ceil(host.source.length / stepsOfCharacter) : 1)
      if (work.left < 0) return true
      host.lastIndex = from
      const found = host.exec(text)
      from = (found?.index ?? 0) + 1
      return found !== null
    })
  }
}

/** Pieces that each text with the pattern has, in this order: characters in a fixed order, or some of a choice. */
export function requiredOf(node: PatternNode): readonly string[] {
  if (node.kind === "set") return isLiteral(node.set) ? [node.set] : []
  if (node.kind === "repeat") return node.min > 0 ? requiredOf(node.node) : []
  if (node.kind === "assertion") return []
  if (node.kind === "choice") {
    const longest = node.nodes.map((part) => requiredOf(part).toSorted((a, b) => b.length - a.length)[0])
    return longest.includes(undefined) ? [] : [`(?:${longest.join("|")})`]
  }
  const pieces: string[] = []
  let run: string[] = []
  const endRun = (): void => {
    if (run.some(isLiteral)) pieces.push(run.map((set) => `(?:${set})`).join(""))
    run = []
  }
  for (const part of node.nodes) {
    if (part.kind !== "set" || run.length === maxRun) endRun()
    if (part.kind === "set") run.push(part.set)
    else pieces.push(...requiredOf(part))
  }
  endRun()
  return pieces
}

const maxRun = 50

/** True for a set of one character. */
function isLiteral(set: string): boolean {
  return /^(?:[^\\[.]|\\[^\w\s])$/u.test(set)
}
