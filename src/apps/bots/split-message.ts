import { checkOptions, checkType, shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { fittingEnd, type MessageUnit, messageSize } from "./message-size.ts"

/** Options of {@link splitMessage}. */
export interface SplitOptions {
  /** The most that one message may hold, at least 64. */
  readonly limit: number
  /** The unit of `limit`: UTF-16 units (Telegram), code points (Discord) or bytes of UTF-8. Default `utf16`. */
  readonly unit?: MessageUnit
}

const leastLimit = 64

/**
 * Splits a text into messages of at most `limit`. A message ends at a blank line if it can, else at the end of a line, of a sentence
 * or of a word, and only in a longer run between two graphemes. A fence of Markdown that is open there is closed, and opened again
 * in the next message. White space at a cut is dropped; a blank text gives no message. Throws `usage` for a limit below 64.
 */
export function splitMessage(text: string, options: SplitOptions): readonly string[] {
  checkType("the text of splitMessage", text, "string")
  checkOptions("splitMessage", options, "limit unit")
  const { limit, unit = "utf16" } = options
  if (!Number.isSafeInteger(limit) || limit < leastLimit)
    throw new PromptStrataError(
      "usage",
      `splitMessage needs a whole limit of at least ${leastLimit}, found ${shownValue(limit)}.`,
      {
        evidence: { name: "limit" },
      },
    )
  const messages: string[] = []
  let rest = withoutBlankLines(text.replaceAll("\r\n", "\n").toWellFormed()).trimEnd()
  let fence: Fence | undefined
  while (rest !== "") {
    const opening = fence === undefined ? "" : `${fence.opener}\n`
    const room = limit - messageSize(opening, unit)
    // A text with more units than this is longer than the room in every unit.
    if (rest.length <= 2 * room && messageSize(rest, unit) <= room) {
      messages.push(opening + rest)
      break
    }
    // The line behind the cut is looked at, too.
    const cut = findCut(rest.slice(0, 2 * limit), { room, unit, fence })
    const said = rest.slice(0, cut.end)
    messages.push(opening + (cut.fence ? `${said}\n${cut.fence.closer}` : said.trimEnd()))
    // In a fence the indentation of the next line is code.
    rest = cut.fence ? rest.slice(cut.end).replace(/^\n/, "") : withoutBlankLines(rest.slice(cut.end).replace(/^[^\S\n]+/, ""))
    fence = cut.fence
  }
  return messages
}

function withoutBlankLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "")
}

/** A place where a text can end. */
interface Cut {
  /** UTF-16 offset. */
  readonly end: number
  /** The fence that is open there. */
  readonly fence: Fence | undefined
}

interface Room {
  readonly room: number
  readonly unit: MessageUnit
  /** The fence that is open where the text begins. */
  readonly fence: Fence | undefined
}

function findCut(text: string, { room, unit, fence }: Room): Cut {
  const longest = fittingEnd(text, room, unit)
  const needsCloser = fence !== undefined || /^ {0,3}(?:```|~~~)/m.test(text.slice(0, longest))
  const end = needsCloser ? fittingEnd(text, room - longestMark - 1, unit) : longest
  const lines = lineEnds(text, end, fence)
  const usable = lines.filter(({ isUsable }) => isUsable)
  // A cut in the first third leaves a message that looks lost.
  const isLate = (cut: { readonly end: number }) => cut.end * 3 >= end
  const paragraph = usable.findLast((cut) => cut.isParagraph && isLate(cut))
  const found = paragraph ?? usable.findLast(isLate)
  if (found) return found
  const open = lines.length > 0 ? lines.at(-1)?.fence : fence
  const inLine = open ? 0 : sentenceEnd(text, end) || wordEnd(text, end)
  const best = inLine > 0 && isLate({ end: inLine }) ? inLine : graphemeBoundaryBefore(text, end) || end
  const from = lines.at(-1)?.end ?? -1
  for (let at = best; at > from + 1; at = graphemeBoundaryBefore(text, at - 1))
    if (!makesFence(text, { from: from + 1, at, open })) return { end: at, fence: open }
  return { end: from > 0 ? from : best, fence: open }
}

/** True if a line that is cut at a place would have a half that reads as the line of a fence. */
function makesFence(text: string, { from, at, open }: { from: number; at: number; open: Fence | undefined }): boolean {
  const rest = open ? lineAt(text, at) : lineAt(text, at).trimStart()
  return fenceAfter(text.slice(from, at), open) !== open || fenceAfter(rest, open) !== open
}

/** The rest of the line at a place. */
function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at)
  return text.slice(at, end < 0 ? text.length : end)
}

interface LineEnd extends Cut {
  /** False for a cut that would leave an empty fence on one side. */
  readonly isUsable: boolean
  /** True where a blank line follows, outside fences. */
  readonly isParagraph: boolean
}

/** The ends of the lines before `end`. */
function lineEnds(text: string, end: number, fence: Fence | undefined): LineEnd[] {
  const found: LineEnd[] = []
  let before = fence
  let from = 0
  for (let at = text.indexOf("\n"); at >= 0 && at <= end; at = text.indexOf("\n", from)) {
    const after = fenceAfter(text.slice(from, at), before)
    const nextLine = lineAt(text, at + 1)
    const opens = before === undefined && after !== undefined
    const closesNext = after !== undefined && fenceAfter(nextLine, after) === undefined
    const isUsable = !opens && !closesNext && text.slice(0, at).trim() !== ""
    found.push({ end: at, fence: after, isUsable, isParagraph: after === undefined && nextLine.trim() === "" })
    before = after
    from = at + 1
  }
  return found
}

let segmenter: Intl.Segmenter | undefined

/** The end of the last whole sentence before `end`; 0 if there is none. */
function sentenceEnd(text: string, end: number): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "sentence" })
  let found = 0
  // The last segment may go on behind the place.
  for (const { index } of segmenter.segment(text.slice(0, end + 1))) if (index <= end) found = index
  return found
}

/** The last white space at or before `end`; 0 if there is none. */
function wordEnd(text: string, end: number): number {
  const head = text.slice(0, end + 1)
  return Math.max(0, head.search(/\s\S*$/u))
}

/** A fence of Markdown that is open at some place of a text. */
export interface Fence {
  /** A line that opens it again. */
  readonly opener: string
  readonly closer: string
}

/** The most characters of an opening or closing line that is added. */
const longestMark = 24

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** The fence that is open after a line, if `open` was open before it. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const [, marks = "", info = ""] = fenceLine.exec(line) ?? []
  if (marks === "") return open
  if (open) return info.trim() === "" && marks.startsWith(open.closer) ? undefined : open
  // Backquotes further on in the line: this is code in a line, no fence.
  if (marks.length > longestMark || (marks.startsWith("`") && info.includes("`"))) return undefined
  const opener = marks + info.trimEnd()
  return { opener: opener.length <= longestMark ? opener : marks, closer: marks }
}
