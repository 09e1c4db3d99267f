import { styleText } from "node:util"
import type { CliIo, OutputStream } from "./io.ts"

/** The few looks there are. */
type Look = "dim" | "bold" | "red" | "yellow" | "cyan"

/** Dresses a text, or leaves it as it is where colours are off. */
export type Paint = (look: Look, text: string) => string

/** Colours for a stream: not when `NO_COLOR` is set, always when `FORCE_COLOR` is, else on a terminal that is not dumb. */
export function painterFor(stream: OutputStream, env: CliIo["env"]): Paint {
  const on = hasColours(stream, env)
  return (look, text) => (on ? styleText(look, text, { validateStream: false }) : text)
}

function hasColours(stream: OutputStream, { NO_COLOR, FORCE_COLOR, TERM }: CliIo["env"]): boolean {
  if (isSet(NO_COLOR)) return false
  if (isSet(FORCE_COLOR)) return FORCE_COLOR !== "0"
  return stream.isTTY === true && TERM !== "dumb"
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ""
}
