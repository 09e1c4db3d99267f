import { hostSteps, orderTest, type PatternWork, requiredOf, stepsOfCharacter } from "./pattern.ts"
import { followed, type PatternNode, type Refusal } from "./pattern-syntax.ts"

/** Replaces what a stranger's regular expression finds, within a bound of work. */
export interface BoundedReplace {
  /**
   * The most work of the host in a text of a length, in characters that it passes over; above `most` it no longer counts. `starts` is the
   * number of places where a match can begin. Default: all, or one in forty if its first character is known.
   */
  costOf(length: number, most: number, starts?: number): number
  /** The text with its replacements. It is refused if that could take more work than is left, or become far longer than the text. */
  replace(text: string, work: PatternWork, replacement: (match: readonly string[], groups: Groups) => string): string | Refusal
}

const tooMuch: Refusal = { refused: "it could take too long, or its text is too long" }

type Groups = Readonly<Record<string, string | undefined>>

/** The characters that all replacements in a text may have. */
const maxReplaced = 200_000

/** The longest pattern. */
const maxSource = 2_000

/**
 * Compiles a pattern whose matches are replaced. The host replaces them, since it alone knows groups and lazy repeats; before that, the
 * steps which it can take are counted from the pattern's form and the text's length, so that no text makes it slow. The result is the
 * reason if the pattern cannot be followed.
 */
export function compileReplace(source: string, flags: string): BoundedReplace | Refusal {
  if (source.length > maxSource) return { refused: `the pattern has more than ${maxSource} characters` }
  return followed(source, flags.replace(/[yd]/g, ""), (host, root) => {
    const hasPieces = orderTest(requiredOf(root), host.flags.replace("g", ""))
    // An empty text has the pattern with this choice, and so all its groups.
    const groups = new RegExp(`${source}|`, host.flags).exec("")?.length
    const first = firstOf(root)
    const start = first === undefined ? undefined : new RegExp(first, `${host.flags.replace("g", "")}g`)
    const costOf: BoundedReplace["costOf"] = (
      length,
      most,
      starts = start === undefined ? length + 1 : Math.ceil(length / 40),
    ) => {
      const steps = hostSteps(root, 1, { steps: Math.ceil((most * stepsOfCharacter) / Math.max(1, starts)), length })
      return length + Math.ceil((starts * steps) / stepsOfCharacter)
    }
    return {
      costOf,
      replace(text, work, replacement) {
        if (work.left <= 0) return tooMuch
        if (!hasPieces(text, work)) return text
        const starts = start === undefined ? text.length + 1 : (text.match(start)?.length ?? 0)
        const cost = costOf(text.length, work.left, starts)
        if (cost > work.left) return tooMuch
        work.left -= cost
        let size = 0
        const replaced = text.replace(host, (...found: unknown[]) => {
          const named = found.at(-1)
          const other = size > maxReplaced ? "" : replacement(found.slice(0, groups) as string[], Object(named) as Groups)
          size += other.length
          return other
        })
        return size > maxReplaced ? tooMuch : replaced
      },
    }
  })
}

/** The characters with which a match can begin; undefined if they are not known. */
function firstOf(node: PatternNode): string | undefined {
  if (node.kind === "set") return node.set
  if (node.kind === "repeat") return node.min > 0 ? firstOf(node.node) : undefined
  if (node.kind !== "sequence") return undefined
  const first = node.nodes.find(({ kind }) => kind !== "assertion")
  return first && firstOf(first)
}
