import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { breakTokens } from "./sanitise.ts"

/** The longest text that is written without quotes, in code points. */
const longestBare = 500

/** The first character of a plain word. */
const beginning = lazyPattern(String.raw`^[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]`, "v")

/** Any character but letters, digits and the punctuation of plain sentences. Argument lists, links and tags are made of these. */
const foreign = lazyPattern(
  String.raw`[^[[\p{L}\p{M}\p{N}]--\p{Default_Ignorable_Code_Point}] ._:;!?\-\/'%°+·\&@，。：；！？、…—～~℃《》“”‘’]`,
  "v",
)

/** Structural characters. Some letters and numbers, such as ⑴, turn into them when their width is evened out. */
const structure = /[()="`\\<>[\]{}|#^$*]/

const jsonWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Characters that JSON does not escape although they break a line, are invisible, or look like a quote or a backslash. */
const concealed = lazyPattern(
  String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{ff02}\u{ff3c}\u{fe68}]`,
  "gv",
)

/**
 * Encodes untrusted text for a place inside a line. A plain word or phrase that is no JSON stays as it is; any other text
 * becomes a JSON string. The result never holds a line break. The text can be read back (T10).
 */
export function encodeInline(text: string): string {
  return isPlain(text) ? text : encodeJsonLine(text)
}

/**
 * Writes a JSON value on one line. Line breaks and invisible characters in its strings are escaped; `undefined` becomes
 * `null`. Throws with code `encoding` for what JSON cannot hold: cycles, bigints, nesting too deep to print.
 */
export function encodeJsonLine(value: unknown): string {
  const json = stringify(value).replace(concealed(), escapeUnits)
  // A token of a chat template begins only inside a string, where its first character may be escaped.
  return breakTokens(json, (start) => escapeUnits(start.charAt(0)) + start.slice(1))
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null"
  } catch (cause) {
    throw new PromptStrataError("encoding", `Expected a value that JSON can hold: ${messageOf(cause)}.`, { cause })
  }
}

/** Writes each UTF-16 unit as JSON may escape it: `\u2028`. */
export function escapeUnits(character: string): string {
  let escaped = ""
  for (let at = 0; at < character.length; at++) escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  return escaped
}

/** Signs that make one picture of several characters. They hide nothing behind a pictograph. */
const joined = lazyPattern(String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u{fe0f}\u{200d}]+`, "gv")

/** True for a text that shows whole on one line as it is: without breaks, hidden characters, tokens and blanks at its ends, and that does not begin like a JSON string. */
export function isOneLine(text: string): boolean {
  if (text === "" || !text.isWellFormed() || text.trim() !== text || text[0]?.normalize("NFKC") === '"') return false
  const shown = text.replace(joined(), "").replace(/[\u{ff02}\u{ff3c}\u{fe68}]/gu, "")
  return shown.replace(concealed(), "") === shown && breakTokens(text, () => "") === text
}

function isPlain(text: string): boolean {
  const isLong = text.length > longestBare && (text.length > 2 * longestBare || [...text].length > longestBare)
  if (isLong || !beginning().test(text) || foreign().test(text)) return false
  if (text.includes("  ") || /[ :：]$/.test(text)) return false
  const seen = text.normalize("NFKC")
  return !structure.test(seen) && !jsonWord.test(seen)
}
