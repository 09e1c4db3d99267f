import type { OpenFile } from "./file-system.ts"

/** Closes what was only read. That it fails says nothing about what was read, and must not keep others from being closed. */
export async function closeQuietly(handle: OpenFile | undefined): Promise<void> {
  try {
    await handle?.close()
  } catch {
    // Closed all the same.
  }
}
