import { Fingerprint } from "../../core/fingerprint.ts"
import type { Speaker } from "../../core/keys.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"

const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
const spaceless = scripts.map((script) => `\\p{Script=${script}}`).join("")
const marks = lazyPattern(String.raw`[\p{P}\p{Z}\p{C}]+`, "gu")
const besideSpaceless = lazyPattern(`(?<=[${spaceless}?]) | (?=[${spaceless}?])`, "gu")
const digit = /\d/

/**
 * A text as duplicates are compared: NFKC, lower case, runs of white space, punctuation and invisible characters as one space, and
 * none beside characters that are written without. What changes the meaning stays: a mark inside a number (`1.5`), a sign before
 * one, a question mark, symbols.
 */
export function normaliseMemoryText(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKC")
  return folded.replace(marks(), keptOf).replace(besideSpaceless(), "").trim()
}

function keptOf(run: string, at: number, text: string): string {
  const before = text.charAt(at - 1)
  const after = text.charAt(at + run.length)
  if (run.length === 1 && ".,:/-".includes(run) && digit.test(before) && digit.test(after)) return run
  if (run.includes("?")) return "?"
  return run.endsWith("-") && digit.test(after) && (run.length > 1 || before === "") ? " -" : " "
}

/** What two memories share that say the same: who said it, and the words. */
export function memoryHash({ speaker, text }: { readonly speaker: Speaker; readonly text: string }): string {
  const normal = normaliseMemoryText(text)
  return `${new Fingerprint().add(JSON.stringify([speaker.id, normal])).digest()}-${normal.length}`
}
