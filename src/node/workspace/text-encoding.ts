import { createHash } from "node:crypto"
import { fileError } from "./file-errors.ts"

/** The hash that tells whether a file changed: SHA-256 in hexadecimal. */
export function contentHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}

/**
 * The exact text of a file, byte order mark and line ends included. Throws `file-encoding`, with the offset of the first bad
 * byte, for bytes that are not UTF-8 and for a NUL, which no text holds.
 */
export function decodeText(bytes: Uint8Array, path: string): string {
  const nul = bytes.indexOf(0)
  if (nul >= 0) throw notText(path, nul, "a NUL byte: this is not text")
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const at = firstBadByte(bytes)
    const found = at < bytes.length ? `the byte 0x${bytes[at]?.toString(16).padStart(2, "0")}` : "half a character at its end"
    throw notText(path, at, found)
  }
}

/**
 * The bytes of a text. Throws `file-encoding` for a text that could not be read back: one with half a character (a lone
 * surrogate), or with a NUL, after which the file would no longer count as text.
 */
export function toBytes(text: string, path: string): Uint8Array {
  if (text.isWellFormed() && !text.includes("\0")) return new TextEncoder().encode(text)
  const characters = [...text]
  const at = characters.findIndex((character) => character === "\0" || !character.isWellFormed())
  const found = characters[at] === "\0" ? "a NUL" : "half of one"
  throw fileError("file-encoding", path, `expected whole characters of text to write, found ${found} as character ${at + 1}.`, {
    hint: "Nothing was written. Leave that character out.",
    evidence: { characterIndex: at },
  })
}

function notText(path: string, offset: number, found: string): Error {
  return fileError("file-encoding", path, `expected UTF-8 text, found ${found} at offset ${offset}.`, {
    hint: "The file was not changed. Save it as UTF-8 to work with it.",
    evidence: { offsetBytes: offset },
  })
}

/** Binary search for the shortest prefix that cannot be decoded: its last byte is the bad one. */
function firstBadByte(bytes: Uint8Array): number {
  let [good, bad] = [0, bytes.length + 1]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isValidPrefix(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  return Math.min(good, bytes.length)
}

function isValidPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

const byteOrderMark = "\uFEFF"

/** How a text is laid out, apart from its words. `mixed` means line ends of several kinds; they are not changed. */
export type TextShape = { readonly byteOrderMark: boolean; readonly lineEnd: "\n" | "\r\n" | "mixed" }

/** Splits a text into plain form and shape. `plain` has no byte order mark, and `\n` for `\r\n` if all lines end in it. */
export function takeShape(text: string): { readonly plain: string; readonly shape: TextShape } {
  const marked = text.startsWith(byteOrderMark)
  const body = marked ? text.slice(1) : text
  const lineEnd = lineEndOf(body)
  return { plain: lineEnd === "\r\n" ? body.replaceAll("\r\n", "\n") : body, shape: { byteOrderMark: marked, lineEnd } }
}

/** The inverse of {@link takeShape}. New lines in `plain` get the same line end as the others. */
export function giveShape(plain: string, { byteOrderMark: marked, lineEnd }: TextShape): string {
  const body = lineEnd === "\r\n" ? plain.replace(/\r?\n/g, "\r\n") : plain
  return marked ? byteOrderMark + body : body
}

function lineEndOf(text: string): TextShape["lineEnd"] {
  const returns = text.split("\r").length - 1
  if (returns === 0) return "\n"
  const pairs = text.split("\r\n").length - 1
  const feeds = text.split("\n").length - 1
  return pairs === returns && pairs === feeds ? "\r\n" : "mixed"
}
