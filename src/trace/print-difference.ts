import { formatSource } from "../core/source.ts"
import type { AssemblyDifference } from "./diff-assemblies.ts"
import { oneLine } from "./one-line.ts"

/** A difference for people: what changed in one line, and where text did, the characters around it in two more. */
export function printDifference(difference: AssemblyDifference): string[] {
  const { outcome, sharedTokens } = difference
  const shared = `${sharedTokens} ${sharedTokens === 1 ? "token" : "tokens"}`
  if (outcome === "none") return [`nothing changed: all ${shared} are the same`]
  if (outcome === "extended") return [`it extends the one before: all ${shared} of that are unchanged, ${whoChanged(difference)}`]
  if (outcome === "shortened") return [`it ends earlier than the one before, after ${shared}: ${whoChanged(difference)}`]
  const broke = difference.brokeStable ? ", though it claims not to change" : ""
  return [`${whoChanged(difference)}${broke}; ${shared} before it are unchanged`, ...excerptLines(difference)]
}

/** The layer that made the difference, what happened to it, and where. */
export function whoChanged({ span, message, offset, what }: AssemblyDifference): string {
  const place = `message ${message + 1}, character ${offset + 1}`
  if (!span) return `${what === "calls" ? "the native calls" : "the text"} of message ${message + 1} changed`
  const name = span.key === "" ? "(frame)" : oneLine(span.key)
  const source = span.source ? `, ${oneLine(formatSource({ file: span.source.file, line: span.source.line }))}` : ""
  const happened = what === "role" ? "stands in a message of another role" : what === "calls" ? "made another call" : happenings[span.change]
  return `${name} (${span.stability}${source}) ${happened} at ${place}`
}

const happenings = { added: "was added", removed: "was removed", changed: "changed" } as const

function excerptLines({ excerpt, what, roles }: AssemblyDifference): string[] {
  if (what === "calls") return []
  const { shared, previous, next } = excerpt
  const [old, young] = what === "role" ? [`${roles.previous}: `, `${roles.next}: `] : ["", ""]
  return [`  before: ${old}${shared}⟦${previous}⟧`, `  now:    ${young}${shared}⟦${next}⟧`]
}
