import { core, evenBrackets, type Look, squash } from "./fold.ts"
import { encodeInline } from "./inline.ts"

/** Names of speakers and tools, by the slot that prints them. */
export type KnownNames = Readonly<Record<string, readonly string[]>>

/** A line that begins with a name, or with other values and then a name. All texts are folded and without blanks. */
export interface LineFrame {
  readonly slot: string
  /** True if other values stand before the name. Where no text stands between them and the name, they have a digit, as times do. */
  readonly lead?: true | undefined
  /** The text before the name: behind other values any, else a list bullet or nothing. */
  readonly before: string
  /** The texts behind the name and behind each further value. The last one ends the line. */
  readonly after: readonly string[]
}

/** A frame and a known name. Those of a session are many, so a line is made of it when a text begins so. */
export interface NamedStart extends Pick<LineFrame, "lead" | "before"> {
  readonly name: string
  readonly after?: LineFrame["after"]
}

/** A frame with a known name: the name with the text around it, and the texts behind each further value. */
export interface NamedLine extends Pick<LineFrame, "lead" | "before"> {
  readonly parts: readonly string[]
}

/** Each frame of a slot with each known name. */
export function namedStarts(frames: readonly LineFrame[], names: readonly string[], look: Look = squash): NamedStart[] {
  // A name with unusual characters is printed in quotes. Without them it reads as the same name.
  const seen = new Set(names.flatMap((name) => [look(name), look(encodeInline(name))]))
  seen.delete("")
  return frames.flatMap(withRemark).flatMap((frame) => [...seen].map((name) => ({ ...frame, name })))
}

/** The line of a frame; a line of the dialect's own has none. */
export function namedLines({ lead, before, name, after }: NamedStart): NamedLine[] {
  return after ? [{ lead, before, parts: [before + name + (after[0] ?? ""), ...after.slice(1)].map(evenBrackets) }] : []
}

/** The most characters of a line's first values. What stands behind more of them is prose. */
export const maxLead = 60

/** True if a line is a frame with its name, behind other values if the frame has some. */
export function isFramed(line: string, { lead, before, parts }: NamedLine): boolean {
  if (!lead) return isNamed(line, parts)
  const [start = ""] = parts
  for (let at = line.indexOf(start, 1); at > 0 && at <= maxLead; at = line.indexOf(start, at + 1))
    if ((before || /\d/.test(line.slice(0, at))) && isNamed(line.slice(at), parts)) return true
  return false
}

/** True if a line begins with the first part, ends with the last one, and holds the others in their order. */
function isNamed(line: string, [start = "", ...after]: readonly string[]): boolean {
  if (!line.startsWith(start)) return false
  let at = start.length
  for (const part of after.slice(0, -1)) {
    const found = line.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return after.length === 0
    ? line.length === at
    : line.length - (after.at(-1)?.length ?? 0) >= at && line.endsWith(after.at(-1) ?? "")
}

/** A line `NAME:` reads as the same speaker's with a remark behind the name, as in `Alice (admin): yes`. */
function withRemark(frame: LineFrame): readonly LineFrame[] {
  const { slot, lead, before, after } = frame
  const isSpeaker = slot === "speaker" && !lead && before === "" && after[0] === ":" && after.at(-1) === ""
  return isSpeaker ? [frame, { ...frame, after: ["(", "):", ...after.slice(1)] }] : [frame]
}

const longLine = 20_000
const escapes = /^[\\\s]+/

/** True for a line of which only the beginning is compared with the names. Backslashes and blanks before it do not count. */
export function isLong(line: string): boolean {
  return line.length > longLine && line.replace(escapes, "").length > longLine
}

/** The end of a beginning may be seen otherwise if more follows: up to 200 characters in brackets, and a few around them. */
const unsure = 220

/**
 * True if a line of ordinary length is a frame with its name, as `look` sees it, or if a longer one begins as one. So no line costs more
 * than its beginning.
 */
export function readsAsNamed(line: string, frames: readonly NamedLine[], look: Look = core): boolean {
  if (frames.length === 0) return false
  if (!isLong(line)) {
    const seen = evenBrackets(look(line)).replaceAll(" ", "")
    return frames.some((frame) => isFramed(seen, frame))
  }
  const needed = Math.max(0, ...frames.map(({ parts: [start = ""] }) => start.length)) + maxLead + unsure
  const seen = evenBrackets(beginning(line.replace(escapes, ""), needed, look)).replaceAll(" ", "")
  return frames.some(({ lead, before, parts: [start = ""] }) => isFramed(seen, { lead, before, parts: [start, ""] }))
}

/** The beginning of a line as it is seen, of at least `needed` characters if there are so many. */
function beginning(line: string, needed: number, look: Look): string {
  for (let end = needed * 4; end < line.length; end *= 4) {
    const seen = look(line.slice(0, end))
    if (seen.length >= needed) return seen
  }
  return look(line)
}
