import type { CliIo, OutputStream } from "./io.ts"
import { type Paint, painterFor } from "./style.ts"

/**
 * Where what goes: the answer to stdout, and all that surrounds it beside it on the terminal, or to stderr when stdout is
 * no terminal, so that a pipe holds answers alone.
 */
export interface Screen {
  /** What surrounds the answers goes here. */
  readonly aside: OutputStream
  readonly paint: Paint
  /** More of an answer, fit for a terminal. */
  answer(text: string): void
  /** Ends the line that an answer stopped in. */
  endLine(): void
  /** Whole lines beside the answers. */
  note(text: string): void
  /** Whole lines on stderr. */
  complain(text: string): void
}

/** The screen of a program's streams. */
export function createScreen({ stdout, stderr, env }: Pick<CliIo, "stdout" | "stderr" | "env">): Screen {
  const aside = stdout.isTTY === true ? stdout : stderr
  const paintError = painterFor(stderr, env)
  let inLine = false
  const screen: Screen = {
    aside,
    paint: painterFor(aside, env),
    answer(text) {
      if (text === "") return
      stdout.write(text)
      inLine = !text.endsWith("\n")
    },
    endLine() {
      if (inLine) stdout.write("\n")
      inLine = false
    },
    note(text) {
      if (aside === stdout) screen.endLine()
      aside.write(`${text}\n`)
    },
    complain(text) {
      screen.endLine()
      stderr.write(`${paintError("red", "error:")} ${text}\n`)
    },
  }
  return screen
}
