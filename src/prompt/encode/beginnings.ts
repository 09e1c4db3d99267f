import { authored, memoKind, NewestMap } from "../../core/memo.ts"
import { evenBrackets, type Look } from "./fold.ts"
import { maxLead, type NamedLine } from "./named-lines.ts"

/** A character as a look sees it amid a line: what is compared of it, and true for a digit or a bracket, behind which a name may stand. */
type SeenCharacter = { readonly text: string; readonly leads: boolean }

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

/** Frames by the first characters of the text up to the name, but for characters that match `ignored`. */
interface FrameTree {
  readonly next: Map<string, FrameTree>
  readonly frames: NamedLine[]
}

const newTree = (): FrameTree => ({ next: new Map(), frames: [] })

export type FrameTrees = ReturnType<typeof frameTrees>

/** Frames in trees: those that begin a line, and those that stand behind other values. `anywhere` is true if one may begin behind any character. */
export function frameTrees(frames: readonly NamedLine[], ignored: RegExp) {
  const [first, led] = [newTree(), newTree()]
  for (const frame of frames) {
    let at = frame.lead ? led : first
    // The stem does not end within a character.
    for (const character of [...bare(frame.parts[0] ?? "", ignored)].slice(0, stemLength)) {
      const next = at.next.get(character) ?? newTree()
      at.next.set(character, next)
      at = next
    }
    at.frames.push(frame)
  }
  const anywhere = frames.some(({ lead, before }) => lead && !/^(?:\[|$)/.test(evenBrackets(before)))
  return { first, led, anywhere }
}

/**
 * Returns a function that gives the few frames of the trees that a line may be, as `look` sees it. A line is read character by character
 * until no frame goes on, which costs much less than a look. Characters that match `ignored` do not count.
 */
export function frameFinder(trees: readonly FrameTrees[], look: Look, ignored: RegExp) {
  const characters = authored.made(seenCharacters, look, () => new NewestMap<string, SeenCharacter>(mostCharacters))
  const see = (character: string): SeenCharacter => {
    const before = characters.get(character)
    if (before) return before
    // Between letters it is neither at an end of the line nor around a name. Han is seen as it is.
    const whole = /[\u4e00-\u9fff]/.test(character) ? character : look(`x${character}x`).slice(1, -1)
    const seen = { text: bare(whole, ignored), leads: /[\d[]/.test(evenBrackets(whole)) }
    characters.set(character, seen)
    return seen
  }
  for (let code = 0x20; code < 0x7f; code++) see(String.fromCharCode(code))
  const first = trees.map((tree) => tree.first)
  const led = trees.flatMap((tree) => (tree.led.next.size > 0 ? [tree.led] : []))
  const always = trees.flatMap((tree) => [...tree.first.frames, ...tree.led.frames])
  const anywhere = trees.some((tree) => tree.anywhere)
  return (line: string): ReadonlySet<NamedLine> => {
    const mayLead = led.length > 0 && (anywhere || signs.test(line))
    const found = new Set(always)
    const active = [...first]
    let isLed = anywhere
    let count = 0
    for (const character of line) {
      const { text, leads } = see(character)
      isLed ||= leads
      for (const shown of text) {
        if (isLed && count < mostLead) for (const tree of led) if (tree.next.has(shown)) active.push(tree)
        count++
        if (active.length > 0) goOn(active, shown, found)
      }
      if (active.length === 0 && (!mayLead || count > mostLead)) break
    }
    return found
  }
}

/** Leaves the branches that go on with a character. */
function goOn(active: FrameTree[], shown: string, found: Set<NamedLine>): void {
  let kept = 0
  for (const { next } of active) {
    const branch = next.get(shown)
    if (!branch) continue
    for (const frame of branch.frames) found.add(frame)
    active[kept++] = branch
  }
  active.length = kept
}
