import { fileError } from "./file-errors.ts"
import type { FileStats, OpenFile } from "./file-system.ts"
import { stopIfAborted } from "./stop-if-aborted.ts"

/** How often a file that grows or changes is read again before it is given up. */
const maxTries = 5

/** A file's bytes as they were at one moment, and what was known of it then. */
export interface ReadBytes {
  readonly bytes: Uint8Array
  readonly stats: FileStats
}

/**
 * Reads an open file whole. Over `maxBytes` it throws `file-size` before reading; a file that changes while it is read is read
 * again, and `file-busy` when it does not come to rest.
 */
export async function readBytes(
  handle: OpenFile,
  { path, maxBytes, signal }: { readonly path: string; readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<ReadBytes> {
  for (let tries = 0; tries < maxTries; tries++) {
    stopIfAborted(signal)
    const before = await handle.stat()
    if (before.sizeBytes > maxBytes) throw tooLarge(path, before.sizeBytes, maxBytes)
    const bytes = await readUpTo(handle, before.sizeBytes)
    const after = await handle.stat()
    const rests = after.sizeBytes === before.sizeBytes && after.modifiedNs === before.modifiedNs
    if (rests && bytes.length === before.sizeBytes) return { bytes, stats: before }
  }
  throw fileError("file-busy", path, `expected a file at rest, found it changing while it was read ${maxTries} times.`, {
    hint: "Read it again when nothing writes to it.",
  })
}

/** Up to one byte more than expected, so that growth shows. */
async function readUpTo(handle: OpenFile, sizeBytes: number): Promise<Uint8Array> {
  const target = new Uint8Array(sizeBytes + 1)
  let filled = 0
  while (filled < target.length) {
    const count = await handle.read(target, filled)
    if (count === 0) break
    filled += count
  }
  return target.subarray(0, filled)
}

/** The error of a file over the limit. */
export function tooLarge(path: string, sizeBytes: number, maxBytes: number): Error {
  const [found, limit] = [sizeBytes.toLocaleString("en"), maxBytes.toLocaleString("en")]
  return fileError("file-size", path, `expected at most ${limit} bytes, found ${found}.`, { evidence: { sizeBytes, maxBytes } })
}
