import { Writable } from "node:stream"
import type { OutputStream } from "./io.ts"

/** What an editor of lines writes to: a terminal that can be silenced while an answer is written to it. */
export interface Echo {
  readonly stream: Writable
  silent: boolean
}

/** An echo on `target`, as wide as it is. */
export function createEcho(target: OutputStream): Echo {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      if (!echo.silent) target.write(chunk)
      done()
    },
  })
  Object.defineProperty(stream, "columns", { get: () => target.columns })
  target.on("resize", () => stream.emit("resize"))
  const echo: Echo = { stream, silent: false }
  return echo
}
