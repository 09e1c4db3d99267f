import { authored, memoKind, NewestMap } from "../../core/memo.ts"
import { evenBrackets, type Look } from "./fold.ts"
import { maxLead, type NamedStart } from "./named-lines.ts"

/** A character as a look sees it amid a line: its UTF-16 units that are compared, and true for a digit or a bracket, behind which a name may stand. */
type SeenCharacter = readonly [text: readonly string[], leads: boolean]

/** By look, the characters that were seen last. */
const seenCharacters = memoKind<Look, NewestMap<string, SeenCharacter>>()
const mostCharacters = 4_000

/** In ASCII, brackets and digits. */
const signs = /[^ -'*-/:;=-Z\\-z|}~]/

/** The first characters of a text are enough to tell it from most. */
const stemLength = 24

/** A composed syllable of Hangul has three letters. */
const mostLead = maxLead * 3

const bare = (text: string, ignored: RegExp) => evenBrackets(text).normalize("NFD").replace(ignored, "")

/** A start of a line, and the first characters of its text up to the end of the name. */
type HeadedStart = NamedStart & { readonly head: string }

/** Starts whose first `at` characters are equal. A branch is made when a line comes to it: few go on behind the first character. */
interface StartTree {
  readonly at: number
  readonly starts: readonly HeadedStart[]
  /** By the next character, or by no character the starts that end here. */
  branches?: ReadonlyMap<string | undefined, StartTree>
}

function branch(tree: StartTree, character?: string): StartTree | undefined {
  const { at } = tree
  tree.branches ??= new Map(
    [...Map.groupBy(tree.starts, ({ head }) => head[at])].map(([next, starts]) => [next, { at: at + 1, starts }]),
  )
  return tree.branches.get(character)
}

const ended = (tree: StartTree): readonly NamedStart[] => branch(tree)?.starts ?? []

export type StartTrees = ReturnType<typeof startTrees>

/**
 * Starts by their first characters, but for those that match `ignored`: starts at the beginning of a line, and behind other values. The
 * last value is true if one of these may begin behind any character.
 */
export function startTrees(starts: readonly NamedStart[], ignored: RegExp) {
  const headed = starts.map((start) => ({ ...start, head: bare(start.before + start.name, ignored).slice(0, stemLength) }))
  const tree = (isLed?: true): StartTree => ({ at: 0, starts: headed.filter(({ lead }) => lead === isLed) })
  const anywhere = starts.some(({ lead, before }) => lead && !/^(?:\[|$)/.test(evenBrackets(before)))
  return [tree(), tree(true), anywhere] as const
}

/**
 * Returns a function that gives the few starts of the trees with which a line may begin, as `look` sees it. A line is read character by character
 * until no start goes on, which costs much less than a look. Characters that match `ignored` do not count.
 */
export function startFinder(trees: readonly StartTrees[], look: Look, ignored: RegExp) {
  const characters = authored.made(seenCharacters, look, () => new NewestMap<string, SeenCharacter>(mostCharacters))
  const see = (character: string): SeenCharacter => {
    const before = characters.get(character)
    if (before) return before
    // Between letters it is neither at an end of the line nor around a name.
    const whole = look(`x${character}x`).slice(1, -1)
    const seen: SeenCharacter = [bare(whole, ignored).split(""), /[\d[]/.test(evenBrackets(whole))]
    characters.set(character, seen)
    return seen
  }
  const first = trees.map(([tree]) => tree)
  const led = trees.map(([, tree]) => tree).filter(({ starts }) => starts.length > 0)
  const anywhere = trees.some(([, , anywhere]) => anywhere)
  const always = [...first, ...led].flatMap(ended)
  return (line: string): NamedStart[] => {
    const mayLead = led.length > 0 && (anywhere || signs.test(line))
    const found = new Set(always)
    let active = first
    let isLed = anywhere
    let count = 0
    for (const character of line) {
      const [text, leads] = see(character)
      isLed ||= leads
      for (const shown of text) {
        const begun = count++ < mostLead && isLed ? [...active, ...led] : active
        active = begun.flatMap((tree) => branch(tree, shown) ?? [])
        for (const tree of active) for (const start of ended(tree)) found.add(start)
      }
      if (active.length === 0 && (!mayLead || count > mostLead)) break
    }
    return [...found]
  }
}
