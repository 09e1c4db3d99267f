import { readFileSync, statSync } from "node:fs"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import { locatedError } from "../core/evidence/located-error.ts"
import { positionAt } from "../core/source.ts"
import { noteFile, noteText } from "./file-log.ts"

/** The largest text file that is read: 4 MiB. */
export const maxFileBytes = 4 * 1024 * 1024

/** Limits of a file. `kind` names it in messages, such as `persona`. */
export type TextFileLimits = { readonly maxBytes?: number; readonly kind?: string }

/**
 * Reads a text file, byte order mark included. `shownAs` names it in messages. Throws `prompt-missing` when there is no file, and
 * `file` when it is not a regular file of valid UTF-8 with at most `maxBytes` (4 MiB).
 */
export function readTextFile(path: string, shownAs: string = path, limits: TextFileLimits = {}): string {
  const edited = noteText(path, limits.kind ?? "file")
  if (edited !== undefined) {
    refuseLarger(Buffer.byteLength(edited), shownAs, limits)
    return edited
  }
  const bytes = bytesAt(path, shownAs, limits)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw notUtf8(bytes, shownAs, cause)
  }
}

/** Reads a file's bytes. Throws as {@link readTextFile} does. */
export function bytesAt(path: string, shownAs: string, { maxBytes = maxFileBytes, kind = "file" }: TextFileLimits): Buffer {
  noteFile(path)
  try {
    const stats = statSync(path)
    // Reading a pipe or a device might never end.
    if (!stats.isFile()) throw badFile(shownAs, `expected a ${kind}, found a folder or a device.`)
    refuseLarger(stats.size, shownAs, { maxBytes, kind })
    return readFileSync(path)
  } catch (error) {
    if (PromptStrataError.isInstance(error)) throw error
    if (isAbsent(error))
      throw new PromptStrataError("prompt-missing", `expected a ${kind} at ${shownAs}, found none.`, { cause: error })
    throw badFile(shownAs, `expected a ${kind} that can be read, found none: ${messageOf(error)}`, error)
  }
}

/** An error about a whole file that cannot be used. */
export function badFile(file: string, message: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("file", message, { source: { file, line: 1 }, cause })
}

function refuseLarger(size: number, file: string, { maxBytes = maxFileBytes, kind = "file" }: TextFileLimits): void {
  if (size <= maxBytes) return
  throw badFile(file, `expected a ${kind} of at most ${inBytes(maxBytes)}, found ${inBytes(size)}.`)
}

function inBytes(count: number): string {
  return `${count.toLocaleString("en")} bytes`
}

/** True for the error of a path that does not exist. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")
}

function notUtf8(bytes: Uint8Array, file: string, cause: unknown): PromptStrataError {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const text = decoder.decode(bytes)
  const bad = firstBadByte(bytes, text)
  return locatedError(
    "file",
    `expected UTF-8 text, found the byte 0x${(bytes[bad] ?? 0).toString(16).padStart(2, "0")}, which is part of no character.`,
    {
      file,
      text,
      position: positionAt(text, decoder.decode(bytes.subarray(0, bad)).length),
      hint: isUtf16(bytes) ? "This looks like UTF-16: save the file as UTF-8." : "Save the file as UTF-8.",
      cause,
    },
  )
}

/**
 * The offset of the first byte that could not be decoded. It became U+FFFD in `text` (EF BF BD in UTF-8), so the bytes of `text`
 * differ from there on, or within the three bytes of that character.
 */
function firstBadByte(bytes: Uint8Array, text: string): number {
  const again = new TextEncoder().encode(text)
  const found = bytes.findIndex((byte, at) => byte !== again[at])
  const differs = found < 0 ? bytes.length : found
  if (bytes[differs - 1] === 0xef) return differs - 1
  return bytes[differs - 2] === 0xef && bytes[differs - 1] === 0xbf ? differs - 2 : differs
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}
