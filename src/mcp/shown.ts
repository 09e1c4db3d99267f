import { sanitise } from "../encode/sanitise.ts"
import { onOneLine } from "../tools/one-line.ts"

const longest = 200

/** A server's words as they can stand in a warning: one line, nothing that acts on a terminal, at most 200 characters. */
export function shown(text: string): string {
  const line = onOneLine(sanitise(text.slice(0, 4 * longest)).text)
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

/** The same for a name: quoted. */
export function shownName(name: unknown): string {
  return typeof name === "string" ? JSON.stringify(shown(name)) : String(typeof name)
}
