import { createInterface } from "node:readline"
import type { Ask } from "./ask.ts"
import type { CliContext } from "./context.ts"
import { exitCodeOf, exitCodes } from "./exit-codes.ts"
import type { Words } from "./words.ts"

/**
 * Asks every line of stdin that is not blank, in order, in one conversation. A failed turn does not stop the next one, but
 * the exit code tells; Ctrl-C stops all.
 */
export async function chatPiped(ask: Ask, { io, screen, interrupts }: CliContext, words: Words): Promise<number> {
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  void interrupts.left.then(() => lines.close())
  let code: number = exitCodes.ok
  let asked = false
  for await (const line of lines) {
    if (line.trim() === "") continue
    asked = true
    const ended = exitCodeOf(await ask(line))
    if (ended === exitCodes.interrupted) return ended
    code = Math.max(code, ended)
  }
  if (!asked) screen.note(words.nothingAsked)
  return code
}
