import { firstOf, hostCost, hostSteps, orderTest, type PatternWork, requiredOf, stepsOfCharacter } from "./host-search.ts"
import { followed, type Refusal } from "./pattern-syntax.ts"

/** Replaces what a stranger's regular expression finds, within a bound of work. */
export interface BoundedReplace {
  /**
   * The most work of the host in a text of a length, in characters that it passes over; above `most` it no longer counts. A match
   * is taken to begin anywhere, or at one in forty if its first character is known.
   */
  costOf(length: number, most: number): number
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
    const isRare = firstOf(root) !== undefined
    const costIn = hostCost(root, host.flags.replace("g", ""))
    return {
      costOf(length, most) {
        const starts = isRare ? length / 40 : length + 1
        const bounds = { most: (most * stepsOfCharacter) / starts, longest: () => length + 1 }
        return length + (starts * hostSteps(root, 1, bounds)) / stepsOfCharacter
      },
      replace(text, work, replacement) {
        if (work.left <= 0) return tooMuch
        if (!hasPieces(text, work)) return text
        const cost = costIn(text, work.left, work, new Map())
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
