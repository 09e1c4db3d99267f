import { PromptStrataError } from "../../../core/errors.ts"

/** The most bytes that a blob may have. */
const maxBytes = 20_000_000

/** Bytes to keep, copied, with their id. Throws `usage` if they are too many, or no bytes. */
export async function newBlob(given: Uint8Array): Promise<{ readonly id: string; readonly bytes: Uint8Array }> {
  if (!(given instanceof Uint8Array))
    throw new PromptStrataError("usage", `expected a Uint8Array of bytes to keep, found a value of type ${typeof given}.`)
  if (given.length > maxBytes) {
    const message = `expected a blob of at most ${maxBytes} bytes, found ${given.length}.`
    const hint = "Nothing was written. Make the picture or file smaller, or keep it elsewhere and name its URL."
    throw new PromptStrataError("usage", message, { hint, evidence: { bytes: given.length, maxBytes } })
  }
  const bytes = new Uint8Array(given)
  return { id: await blobId(bytes), bytes }
}

/** The SHA-256 of bytes in hexadecimal digits. */
export async function blobId(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** All ids of blobs that a text may name: every run of 64 hexadecimal digits in it. */
export function blobIdsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/(?=([0-9a-f]{64}))/gu), ([, id = ""]) => id)
}

/** Longer lists of arguments can exceed the call stack. */
const pageBytes = 8_192

/** Bytes in base64. */
export function bytesToText(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += pageBytes) text += String.fromCharCode(...bytes.subarray(at, at + pageBytes))
  return btoa(text)
}

/** The bytes that {@link bytesToText} wrote. */
export function bytesFromText(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text)
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < characters.length; at += 1) bytes[at] = characters.charCodeAt(at)
  return bytes
}
