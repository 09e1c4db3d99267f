import { type ErrorContext, PromptStrataError, type PromptStrataErrorOf } from "../errors.ts"
import { graphemesOf } from "../graphemes.ts"
import { lazyPattern } from "../lazy-pattern.ts"
import type { Position } from "../source.ts"
import type { ErrorEvidence } from "./error-evidence.ts"

/** The codes of errors that point into authored text. */
type LocatedCode = "template" | "front-matter" | "prompt" | "profile" | "file" | "script"

/** An error about authored text, with file, line, column and a caret. */
export function locatedError<C extends LocatedCode>(
  code: C,
  message: string,
  at: {
    readonly file: string
    readonly text: string
    readonly position: Position
    readonly evidence?: ErrorEvidence[C] | undefined
  } & Pick<ErrorContext, "hint" | "cause">,
): PromptStrataErrorOf<C> {
  const { file, text, position, ...details } = at
  return new PromptStrataError<LocatedCode>(code, message, {
    ...details,
    source: { file, ...position },
    frame: codeFrame(text, position),
  }) as PromptStrataErrorOf<C>
}

/**
 * The lines around a position with a caret under the column, for error messages. Long lines are cut around the column, so that
 * the caret stays visible. A character that would move the caret or control a terminal is shown as one plain character.
 */
export function codeFrame(text: string, { line, column }: Position, { around = 1, widthColumns = 72 } = {}): string {
  const lines = text.split(/\r\n|\n|\r/)
  const first = Math.max(1, line - around)
  const last = Math.min(lines.length, line + around)
  const gutter = String(last).length
  const before = (lines[line - 1] ?? "").slice(Math.max(0, column - 1 - widthColumns), column)
  const width = columnsOf(before)
  const from = width > widthColumns ? column - Math.floor((widthColumns * before.length) / width / 2) : 1
  const rows: string[] = []
  for (let number = first; number <= last; number++) {
    const shown = shownPart(lines[number - 1] ?? "", from, widthColumns)
    rows.push(`${String(number).padStart(gutter)} | ${shown.join("")}`)
    if (number !== line) continue
    rows.push(`${" ".repeat(gutter)} | ${" ".repeat(columnsOf(shown.slice(0, column - from).join("")))}^`)
  }
  return rows.join("\n")
}

/** Characters of two columns, by their blocks, and emoji. */
const wide = lazyPattern(
  String.raw`^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]|\p{Emoji}\ufe0f)`,
  "v",
)

/** Marks and joiners, which take no column. */
const nothing = lazyPattern(String.raw`[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]`, "gv")

/** The columns of a text at a terminal: near enough for a caret, at a tenth of the size of `displayWidth`, which counts exactly. */
function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  const columnsIn = (grapheme: string): number => (wide().test(grapheme) ? 2 : [...grapheme.replace(nothing(), "")].length)
  return [...graphemesOf(text)].reduce((columns, { segment }) => columns + columnsIn(segment), 0)
}

/** Controls, line separators, bidi controls and half surrogate pairs, tags. Each is shown as one visible character. */
const disturbing = lazyPattern(
  String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]`,
  "gu",
)

/** The characters of a line that have room in `count` columns, from the 1-based column `from`. It does not read a long line to its end. */
function shownPart(line: string, from: number, count: number): string[] {
  const shown: string[] = []
  let column = 0
  let room = count
  for (const character of line) {
    if (++column < from) continue
    room -= columnsOf(character)
    if (room < 0) break
    shown.push(character === "\t" ? " " : character.replace(disturbing(), "\ufffd"))
  }
  return shown
}
