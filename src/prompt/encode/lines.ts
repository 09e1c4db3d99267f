import { lazyPattern } from "../../core/lazy-pattern.ts"
import { authored, Memo, memoKind } from "../../core/memo.ts"
import { type StartTrees, startFinder, startTrees } from "./beginnings.ts"
import { closing, core, evenBrackets, type Look, mayDisguise, opening, squash } from "./fold.ts"
import { mapLines } from "./line-breaks.ts"
import { isFramed, isLong, type KnownNames, type LineFrame, namedLines, namedStarts, readsAsNamed } from "./named-lines.ts"

/**
 * The lines that a dialect itself prints, folded (see `fold`). Untrusted text must not pass for one of them. They are
 * derived from the prompt files.
 */
export interface Markers {
  /** Whole lines. */
  readonly lines: ReadonlySet<string>
  /** Beginnings of lines that go on with a value, such as `##` of `## ${key}`. */
  readonly heads: readonly string[]
  /** True when the dialect uses code fences: then a line that opens or closes a fence is a marker too. */
  readonly fences: boolean
  /** Lines that begin with a name, such as `${speaker}:`. They are markers for the {@link names} of their slot. */
  readonly frames?: readonly LineFrame[] | undefined
  /** Shapes of headings and rules that the dialect uses. Any line of such a shape is a marker. */
  readonly shapes?: readonly LineShape[] | undefined
  /** True where chat-template tokens in a text are broken, so that no server takes them for its own. */
  readonly tokens?: boolean | undefined
  /** True where code and Markdown stand in a fence instead of having their lines marked (see {@link isPage}). */
  readonly pages?: boolean | undefined
  /** True where a line that begins with `^` or `#` says whose words follow, also in a fence (R5). Such lines are marked there. */
  readonly signs?: boolean | undefined
  /** The names that the session knows, by slot, as they were given. */
  readonly names?: KnownNames | undefined
  /** Looks by which a line is compared with the names, beside its fold. Their table is large, so whoever wants them brings them. */
  readonly looks?: readonly Look[] | undefined
}

export type LineShape = RegExp

/** The shapes of lines by which prompt files part their sections. They are tested on folded lines. */
export const lineShapes = {
  bold: /^\*\*[^*]+\*\*:?$/,
  heading: /^#{1,6}(?: |$)/,
  rule: /^(?:(?:- ?){3,}|(?:= ?){3,}|(?:_ ?){3,}|(?:\* ?){3,})$/,
  label: /^\[[^[\]]+\]$/,
} as const satisfies Record<string, LineShape>

/** The shape of a line that shows a call, for files in which a name stands between such brackets: `[NAME] (ARGUMENTS)`. */
export const callShape: LineShape = /^(?:\[[^[\]]+\]|【[^【】]+】)(?: ?\(.*\))?$/

/**
 * Encodes untrusted text that has its lines to itself. A line that equals one of the markers, folded and without leading
 * backslashes and blanks, gets one leading `\`. Each closing marker further on in a line, such as `[/memory context]`, gets one
 * behind its bracket. All else stays as it is. Inverse: {@link decodeLines} (T5, T28).
 */
export function encodeLines(text: string, markers: Markers): string {
  const { reads, closers } = authored.made(readers, markers, buildReader)
  if (closers.size === 0 || !slash.test(text)) return mapLines(text, (line) => (reads(line) ? `\\${line}` : line))
  return mapLines(text, (line) =>
    reads(atClosers(line, closers, () => ""))
      ? `\\${atClosers(line, closers, (broken) => `${broken}\\`, true)}`
      : atClosers(line, closers, (broken) => `${broken}\\`),
  )
}

/** Decodes what {@link encodeLines} returned, for the same markers. */
export function decodeLines(text: string, markers: Markers): string {
  const { reads, closers } = authored.made(readers, markers, buildReader)
  // Backslashes in front of a line and in closing markers do not change the comparison, so the same test finds the lines that were marked.
  return mapLines(text, (line) =>
    line.startsWith("\\") && reads(atClosers(line, closers, () => ""))
      ? atClosers(line.slice(1), closers, (broken) => broken.slice(1), true)
      : atClosers(line, closers, (broken) => broken.slice(1)),
  )
}

/** The beginnings of lines that say whose words follow, in a dialect that writes transcripts (R5). */
export const signs = ["^", "#"] as const

export const signMarkers: Markers = { lines: new Set(), heads: signs, fences: false }

/** Marks the lines that begin with `^` or `#` in a text for a fence, where these are signs in a fence too. */
export function encodeSigns(text: string): string {
  return encodeLines(text, signMarkers)
}

/** The markers that have words: lines that nobody but the dialect writes. Headings, rules and fences of any page have none. */
const worded = memoKind<Markers, Markers>()
const word = lazyPattern(String.raw`[\p{L}\p{N}]`, "u")

/**
 * True for code and Markdown, which the printer puts into a fence: a text of which `lines` would mark several lines, and nothing
 * but headings, rules, fences and brackets of common shape (T5).
 */
export function isPage(text: string, markers: Markers): boolean {
  // Each mark is one backslash. A single heading is no page.
  if (markers.pages !== true || encodeLines(text, markers).length - text.length < 2) return false
  const hasWord = (line: string) => word().test(line)
  const made = authored.made(worded, markers, () => ({
    ...markers,
    lines: new Set([...markers.lines].filter(hasWord)),
    heads: markers.heads.filter(hasWord),
    fences: false,
    shapes: undefined,
  }))
  return encodeLines(text, made) === text
}

/** The characters that fold to the slash of a closing marker. */
const slash = /[/\uff0f]/
/** Words between brackets, and the backslashes behind the first one. */
const inBrackets = lazyPattern(`([${opening}])(\\\\*)([^\\\\${opening}${closing}][^${opening}${closing}]*[${closing}])`, "gu")

/**
 * Changes the backslashes behind the bracket of each closing marker in a line. They do not count when it is compared. With `isMarked`
 * a marker at the beginning of the line stays: the line's own backslash breaks it.
 */
function atClosers(
  line: string,
  closers: ReadonlySet<string>,
  change: (backslashes: string) => string,
  isMarked = false,
): string {
  if (closers.size === 0 || !slash.test(line)) return line
  return line.replace(inBrackets(), (found, start: string, backslashes: string, rest: string, at: number) => {
    const isCloser = slash.test(rest) && closers.has(evenBrackets(squash(start + rest)))
    return isCloser && (!isMarked || core(line.slice(0, at))) ? start + change(backslashes) + rest : found
  })
}

/** A line that closes a block, with even brackets. */
const closer = /^\[\/[^[\]]+]$/

// A bracket alone has no words, so it stands for no other.
const even = (text: string) => (text.length > 1 ? evenBrackets(text) : text)
const ignored = /[\\\s]+/g

/** All that is compared of markers but names and shapes. `closers` are the lines that close a block, without blanks. */
function findFixed(whole: Markers["lines"], begun: Markers["heads"], fences: boolean) {
  const own = (texts: Iterable<string>) => [...texts].map((text) => even(core(text))).filter((text) => text !== "")
  const lines = new Set(own(whole))
  const heads = own([...begun, ...(fences ? ["```", "~~~"] : [])])
  const starts = [...lines, ...heads].map((name) => ({ before: "", name }))
  const closers = new Set([...lines].filter((line) => closer.test(line)).map(squash))
  return { lines, heads, trees: startTrees(starts, ignored), closers }
}

/** By the lines of markers and by their heads. A session that learns names, and each kind of its texts, has the same ones. */
const ofLines = memoKind<ReadonlySet<string>, Memo>()
const fenced = memoKind<readonly string[], ReturnType<typeof findFixed>>()
const unfenced: typeof fenced = memoKind()
const readers = memoKind<Markers, ReturnType<typeof buildReader>>()

/** By a list of names, the frames that have them, by look. Sessions of one agent have one list of its tools. */
const ofNames = memoKind<readonly string[], Memo>()
const ofFrames = memoKind<readonly LineFrame[], Memo>()
const ofLook = memoKind<Look, StartTrees>()

/** The lines with names, a tree for each slot that has some. */
function namedTrees({ frames, names = {} }: Markers, look: Look, ignored: RegExp): StartTrees[] {
  if (!frames) return []
  return Object.entries(names).map(([slot, list]) =>
    authored
      .made(ofNames, list, () => new Memo())
      .made(ofFrames, frames, () => new Memo())
      .made(ofLook, look, () => {
        const own = frames.filter((frame) => frame.slot === slot)
        return startTrees(namedStarts(own, list, look), ignored)
      }),
  )
}

/** Built once: markers live as long as their prompt. `reads` is true for a line that passes for one of the dialect's own. */
function buildReader(markers: Markers) {
  const { lines: whole, heads: begun, fences, shapes = [], looks = [] } = markers
  const { lines, heads, trees, closers } = authored
    .made(ofLines, whole, () => new Memo())
    .made(fences ? fenced : unfenced, begun, () => findFixed(whole, begun, fences))
  const named = namedTrees(markers, squash, ignored)
  const find = startFinder([trees, ...named], core, ignored)
  const disguised = (named.length > 0 ? looks : []).map((look) => {
    const findNamed = startFinder(namedTrees(markers, look, decoration), look, decoration)
    return (line: string) => readsAsNamed(line, findNamed(line).flatMap(namedLines), look)
  })
  const isPlain = (line: string): boolean => {
    const found = find(line)
    const frames = found.flatMap(namedLines)
    if (isLong(line) && readsAsNamed(line, frames)) return true
    if (found.length === 0 && (shapes.length === 0 || letterFirst().test(line))) return false
    const seen = core(line)
    const words = evenBrackets(seen)
    return (
      lines.has(even(seen)) ||
      heads.some((head) => (head.length > 1 ? words : seen).startsWith(head)) ||
      shapes.some((shape) => shape.test(seen)) ||
      frames.some((frame) => isFramed(words.replaceAll(" ", ""), frame))
    )
  }
  const reads = (line: string) => line !== "" && (isPlain(line) || (mayDisguise(line) && disguised.some((is) => is(line))))
  return { reads, closers }
}

/** A line whose first character is a letter or a digit has none of the shapes. */
const letterFirst = lazyPattern(String.raw`^[\s\\]*[\p{L}\p{N}]`, "u")

/** Around a name these do not count where it is compared by its look. */
const decoration = /[\s\\*_~`"'“”‘’«»「」『』【】《》()<>[\]]+/g
