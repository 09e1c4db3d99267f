import { PromptStrataError } from "../core/errors.ts"
import { withoutUnseen } from "./fold.ts"
import { hasLineBreak } from "./line-breaks.ts"

/** Characters that are a backtick to a reader who evens out width and accents: `｀` and the Greek varia. */
const backtick = /[`\u{ff40}\u{1fef}]/u

/**
 * The text between two fences of backticks, longer than any run of backticks in it, also for a reader who drops invisible
 * characters: it cannot close its fence. `info` follows the opening fence. Inverse: {@link decodeFence} (T6).
 */
export function encodeFence(text: string, info = ""): string {
  if (backtick.test(info) || hasLineBreak(info)) {
    throw new PromptStrataError(
      "encoding",
      `Expected a fence's info on one line without backticks, found ${JSON.stringify(info)}.`,
    )
  }
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${info}\n${text}\n${fence}`
}

/** What {@link encodeFence} was given. Throws with code `encoding` for anything else than one whole fenced text. */
export function decodeFence(encoded: string): string {
  let length = 0
  while (encoded.charCodeAt(length) === 0x60) length++
  const start = encoded.indexOf("\n") + 1
  const end = encoded.length - length - 1
  if (length < 3 || start === 0 || end < start || encoded.slice(end) !== `\n${"`".repeat(length)}`) {
    throw new PromptStrataError("encoding", `Expected a fenced text, found ${JSON.stringify(encoded.slice(0, 80))}.`, {
      hint: "Pass exactly what encodeFence returned.",
    })
  }
  return encoded.slice(start, end)
}

function longestRun(text: string): number {
  if (!backtick.test(text)) return 0
  let longest = 0
  for (const [run] of withoutUnseen(text).matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
