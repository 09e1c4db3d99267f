import type { Readable, Writable } from "node:stream"

/** A stream that may be a terminal. */
type InputStream = Readable & { readonly isTTY?: boolean }

/** A stream that may be a terminal, and then knows its width. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Everything the program takes from its surroundings. */
export interface CliIo {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Calls `listener` on every Ctrl-C that reaches the process, until the returned function is called. */
  onInterrupt(listener: () => void): () => void
  /** The same for SIGTERM, which ends the process where nobody listens. */
  onTerminate?(listener: () => void): () => void
}
