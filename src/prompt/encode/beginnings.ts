import { authored, memoKind, NewestMap } from "../../core/memo.ts"
import { evenBrackets, type Look } from "./fold.ts"
import { maxLead, type NamedLine } from "./named-lines.ts"

/** A character as a look sees it amid a line: what is compared of it, and true for a digit or a bracket, behind which a name may stand. */
interface SeenCharacter {
  readonly text: string
  readonly leads: boolean
}

/** By look, the characters that were seen last. */
const seenCharacters = memoKind<Look, NewestMap<string, SeenCharacter>>()
const mostCharacters = 4_000

/** In ASCII, brackets and digits. */
const signs = /[^ -'*-/:;=-Z\\-z|}~]/

/** The first characters of a text are enough to tell it from most. */
const stemLength = 24

/** A composed syllable of Hangul has three letters. */
const mostLead = maxLead * 3

/** Frames by the first characters of the text up to the name. */
class Branch {
  readonly next = new Map<string, Branch>()
  readonly frames: NamedLine[] = []
}

/**
 * Returns a function that gives the few frames that a line may be, as `look` sees it. A line is read character by character until no
 * frame goes on, which costs much less than a look. Characters that match `ignored` do not count.
 */
export function frameFinder(frames: readonly NamedLine[], look: Look, ignored: RegExp): (line: string) => ReadonlySet<NamedLine> {
  const known = authored.made(seenCharacters, look, () => new NewestMap<string, SeenCharacter>(mostCharacters))
  const bare = (text: string) => evenBrackets(text).normalize("NFD").replace(ignored, "")
  const see = (character: string): SeenCharacter => {
    const before = known.get(character)
    if (before) return before
    // Between letters it is neither at an end of the line nor around a name. Han is seen as it is.
    const whole = /[\u4e00-\u9fff]/.test(character) ? character : look(`x${character}x`).slice(1, -1)
    const seen = { text: bare(whole), leads: /[\d[]/.test(evenBrackets(whole)) }
    known.set(character, seen)
    return seen
  }
  for (let code = 0x20; code < 0x7f; code++) see(String.fromCharCode(code))
  const [first, led] = [new Branch(), new Branch()]
  for (const frame of frames) addFrame(frame.lead ? led : first, bare(frame.parts[0] ?? ""), frame)
  const anywhere = frames.some(({ lead, before }) => lead && !/^(?:\[|$)/.test(evenBrackets(before)))
  return (line) => {
    const mayLead = led.next.size > 0 && (anywhere || signs.test(line))
    const found = new Set([...first.frames, ...led.frames])
    const active = [first]
    let isLed = anywhere
    let count = 0
    for (const character of line) {
      const { text, leads } = see(character)
      isLed ||= leads
      for (const shown of text) {
        if (isLed && count < mostLead) active.push(led)
        count++
        goOn(active, shown, found)
      }
      if (active.length === 0 && (!mayLead || count > mostLead)) break
    }
    return found
  }
}

/** Leaves the branches that go on with a character. */
function goOn(active: Branch[], shown: string, found: Set<NamedLine>): void {
  let kept = 0
  for (const { next } of active) {
    const branch = next.get(shown)
    if (!branch) continue
    for (const frame of branch.frames) found.add(frame)
    active[kept++] = branch
  }
  active.length = kept
}

function addFrame(root: Branch, text: string, frame: NamedLine): void {
  let at = root
  for (const character of text.slice(0, stemLength)) {
    const next = at.next.get(character) ?? new Branch()
    at.next.set(character, next)
    at = next
  }
  at.frames.push(frame)
}
