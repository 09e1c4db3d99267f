import { lazyPattern } from "../../core/lazy-pattern.ts"
import { finding, type LintFile, type LintFinding, lintRule, type TextEdit } from "../rule.ts"
import { ascendingLocator, bodyLines } from "../text-positions.ts"

/** Characters that a reader of the file does not see. */
export const invisibleCharacters = lintRule(
  "invisible-characters",
  "Tag characters, direction marks, controls and characters of no width in an authored file.",
  ({ files }) => files.flatMap(hiddenIn),
)

function hiddenIn({ file, text, kind }: LintFile): LintFinding[] {
  const locate = ascendingLocator(text)
  return hiddenRuns(text).map(({ index, length, what, isIdle, isSuspect }) => {
    const codes = Array.from(text.slice(index, index + length), codeOf)
    const shown = codes.length === 1 ? codes[0] : `${codes[0]} and ${codes.length - 1} more`
    return {
      severity: isSuspect ? "error" : "warning",
      message: `expected characters one can see, found ${what}: ${shown}.`,
      file,
      ...locate(index),
      hint: "They are removed before a model sees the text; remove them here too.",
      // In TOML a character between quotes is part of a value.
      fix: isIdle && kind !== "profile" ? [{ start: index, end: index + length, text: "" }] : undefined,
    }
  })
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
}

/** A run of characters that are not seen or that act on a terminal. */
interface HiddenRun {
  readonly index: number
  readonly length: number
  /** The kind of characters, for a message. */
  readonly what: string
  /** True if removing them changes nothing that a person reads. */
  readonly isIdle: boolean
  /** True if they can carry a message that only a model reads. */
  readonly isSuspect: boolean
}

/** The flag of a part of a country is the only emoji made of tag characters. It stands first, so that it is skipped as a whole. */
const flagOrHidden = lazyPattern(
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]+|[\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]+|[\u{ad}\u{200b}\u{2060}\u{180e}\u{feff}]+|[[\p{Cc}]--[\t\n\r]]+`,
  "gv",
)

/** The Arabic letter mark is a hidden character itself: it is no word beside which others may turn the direction. */
const rightToLeft = lazyPattern(
  String.raw`[[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]--[\u{61c}]]`,
  "v",
)

/** The hidden characters of a text. A byte order mark at its beginning is not one of them. */
export function hiddenRuns(text: string): HiddenRun[] {
  const isMixed = rightToLeft().test(text)
  const start = text.startsWith("\uFEFF") ? 1 : 0
  return [...text.slice(start).matchAll(flagOrHidden())].flatMap(({ 0: run, index }) => {
    const code = run.codePointAt(0) ?? 0
    return code === 0x1f3f4 ? [] : [{ index: start + index, length: run.length, ...kindOf(code, isMixed) }]
  })
}

function kindOf(code: number, isMixed: boolean): Pick<HiddenRun, "what" | "isIdle" | "isSuspect"> {
  if (code >= 0xe0000) return { what: "tag characters, which only a model reads", isIdle: true, isSuspect: true }
  if (code === 0xad || code === 0x200b || code === 0x2060 || code === 0x180e || code === 0xfeff)
    return { what: "characters of no width", isIdle: true, isSuspect: false }
  if (code < 0xa0) return { what: "control characters", isIdle: false, isSuspect: true }
  // Right-to-left text needs them for the order of its lines. In other text they only make it look different from what it is.
  return { what: "characters that turn the direction of writing", isIdle: !isMixed, isSuspect: !isMixed }
}

/** Byte order marks, `\r\n` and white space at the ends of lines: no reader of these files minds them, but every diff shows them. */
export const whiteSpace = lintRule(
  "white-space",
  "A byte order mark, line breaks other than \\n, and white space at the ends of lines.",
  ({ files }) => files.flatMap((file) => [...byteOrderMark(file), ...lineBreaks(file), ...lineEnds(file)]),
)

function byteOrderMark({ file, text }: LintFile): LintFinding[] {
  if (!text.startsWith("\uFEFF")) return []
  return [finding(file, "expected no byte order mark, found one.", { fix: [{ start: 0, end: 1, text: "" }] })]
}

/** One problem for the whole file. Profiles are left out: in TOML a line break can be part of a value. */
function lineBreaks({ file, text, kind }: LintFile): LintFinding[] {
  if (kind === "profile" || !text.includes("\r")) return []
  const fix = Array.from(
    text.matchAll(/\r\n?/g),
    ({ 0: found, index }): TextEdit => ({ start: index, end: index + found.length, text: "\n" }),
  )
  return [finding(file, `expected lines to end in \\n, found ${fix.length} ending in \\r\\n or \\r.`, { fix })]
}

/** Two spaces at a line's end are a line break in Markdown. In front matter and in TOML white space can be part of a value. */
function lineEnds(file: LintFile): LintFinding[] {
  if (file.kind === "profile" || file.source === undefined) return []
  return [...bodyLines(file)].flatMap(({ text, line, offset }) => {
    const length = blankTail(text)
    if (length === 0 || (length === 2 && text.endsWith("  ") && text.length > 2)) return []
    const end = offset + text.length
    const endColumn = [...text].length + 1
    const fix = [{ start: end - length, end, text: "" }]
    const place = { line, column: endColumn - length, endColumn }
    return [finding(file.file, "expected no white space at the end of a line.", { ...place, fix })]
  })
}

function blankTail(line: string): number {
  let at = line.length
  while (at > 0 && (line[at - 1] === " " || line[at - 1] === "\t")) at--
  return line.length - at
}
