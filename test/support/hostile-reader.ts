import type { Message } from "../../src/core/span.ts"
import { joinTokens } from "./decode-text.ts"

/**
 * A reader written from the requirements alone (T5, T6, T10, T28), sharing no code with the library but `joinTokens`: it sees text the
 * way a careless model does and says which structure it finds there.
 */

/** Every line break that JavaScript and the eye know. */
export const lineBreaks = /\r\n|[\n-\r\u0085\u2028\u2029]/

/** Case, width, accents, dashes, blanks and everything invisible evened out. */
export function seen(line: string): string {
  return line
    .normalize("NFKD")
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Mn}\p{Me}\p{Noncharacter_Code_Point}]/gu, "")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\p{Mn}\p{Me}]/gu, "")
    .replace(/[\p{Pd}\u02d7\u2043\u2212\u23af\u2500\u2501]/gu, "-")
    .replace(/[\s\u2800]+/gu, " ")
    .trim()
    .normalize("NFC")
}

/**
 * The structure of a message as such a reader sees it: marker lines outside fences, and where fences open and close.
 * `see` is `seen`, or something that remembers what it said.
 */
export function skeleton(message: string, isMarker: (line: string) => boolean, see: (line: string) => string = seen): string[] {
  const found: string[] = []
  let fence = 0
  for (const raw of message.split(lineBreaks)) {
    const line = see(raw)
    const run = /^(`{3,}|~{3,})/.exec(line)?.[1]?.length ?? 0
    if (fence > 0) {
      if (run >= fence && /^`+$/.test(line)) {
        found.push("close")
        fence = 0
      }
    } else if (run > 0) {
      found.push("open")
      fence = run
    } else if (isMarker(line)) found.push(line)
  }
  return found
}

/** Controls that the eye knows: tabs and line breaks. */
const kept = new Set("\t\n\v\f\r\u0085")

/** What is left of a text when everything that nobody can see is taken out, as promised by default. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u{E0000}-\u{E007F}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu, "")
    .replace(/\p{Cc}/gu, (control) => (kept.has(control) ? control : ""))
}

/** True for a message that a provider structures itself: the model's or a tool's, with these words and nothing beside them. */
export function isWhole({ role, content }: Message, words: string): boolean {
  return role !== "user" && role !== "system" && content.trim() === visible(words).trim()
}

/**
 * Undoes `lines`: one backslash goes from each line that, without its backslashes, reads as a marker or a fence, and from behind the
 * bracket of each text further on that reads as one of the `closers`.
 */
export function unescapeLines(text: string, isMarker: (line: string) => boolean, closers: readonly string[]): string {
  const closing = new Set(closers.map((closer) => closer.replaceAll(" ", "")))
  const parts = joinTokens(text).split(/(\r\n|[\n-\r\u0085\u2028\u2029])/)
  const bracketed = /([[<［＜])\\(\\*)([^[\]<>［］＜＞]+[\]>］＞])/g
  return parts
    .map((part) => {
      const bare = seen(part).replace(/^[\\ ]+/, "")
      const isMarked = part.startsWith("\\") && (isMarker(bare) || /^(```|~~~)/.test(bare))
      const line = isMarked ? part.slice(1) : part
      return line.replace(bracketed, (found, open: string, others: string, rest: string, at: number) => {
        const isFirst = isMarked && seen(line.slice(0, at)).replace(/^[\\ ]+/, "") === ""
        return !isFirst && closing.has(seen(open + rest).replaceAll(" ", "")) ? open + others + rest : found
      })
    })
    .join("")
}

/** Undoes `inline`: a JSON string, or the words themselves. */
export function readInline(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}

/** The fenced text that begins at `from`, and where its fence ends. */
export function readFence(text: string, from: number): { content: string; end: number } {
  const mark = /^`{3,}/.exec(text.slice(from, from + 10_000))?.[0] ?? "?"
  const start = from + mark.length + 1
  const end = text.indexOf(`\n${mark}`, start - 1)
  return { content: joinTokens(text.slice(start, Math.max(start, end))), end: end + 1 + mark.length }
}
