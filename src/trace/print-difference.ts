import { formatSource } from "../core/source.ts"
import type { ChangedSpan } from "./changed-span.ts"
import { fitColumns, fitColumnsAtEnd } from "./columns.ts"
import type { AssemblyDifference } from "./diff-assemblies.ts"
import { oneLine } from "./one-line.ts"

/** A difference for people: what changed in one line, and where text did, the characters around it in two more. */
export function printDifference(difference: AssemblyDifference): string[] {
  const { outcome, sharedTokens } = difference
  const shared = `${sharedTokens} ${sharedTokens === 1 ? "token" : "tokens"}`
  if (outcome === "none") return [`nothing changed; all its ${shared} are the same`]
  if (outcome === "extended") return [`all its ${shared} stand unchanged at the beginning`, `  ${whoChanged(difference)}`]
  if (outcome === "shortened") return [`it ends earlier, after ${shared} that are unchanged`, `  ${whoChanged(difference)}`]
  const broke = difference.brokeStable ? ", though it claims not to change" : ""
  return [`${shared} stand unchanged at the beginning`, `  ${whoChanged(difference)}${broke}`, ...excerptLines(difference)]
}

/** The layer that made the difference, and what happened to it, in a few words. */
export function changeInShort({ span, what }: AssemblyDifference): string {
  if (!span) return what === "calls" ? "native calls changed" : "text changed"
  return `${nameOf(span)} (${span.stability}) ${happenedTo(span, what)}`
}

function whoChanged({ span, message, offset, what }: AssemblyDifference): string {
  if (!span) return `${what === "calls" ? "the native calls" : "the text"} of message ${message + 1} changed`
  const source = span.source ? `, ${oneLine(formatSource({ file: span.source.file, line: span.source.line }))}` : ""
  return `${nameOf(span)} (${span.stability}${source}) ${happenedTo(span, what)} at message ${message + 1}, character ${offset + 1}`
}

function nameOf({ key }: ChangedSpan): string {
  return key === "" ? "(frame)" : oneLine(key)
}

function happenedTo({ change }: ChangedSpan, what: AssemblyDifference["what"]): string {
  if (what === "role") return "stands in a message of another role"
  return what === "calls" ? "made another call" : happenings[change]
}

const happenings = { added: "was added", removed: "was removed", changed: "changed", moved: "moved" } as const

function excerptLines({ excerpt, what, roles }: AssemblyDifference): string[] {
  if (what === "calls") return []
  const [old, young] = what === "role" ? [`${roles.previous}: `, `${roles.next}: `] : ["", ""]
  const shared = fitColumnsAtEnd(excerpt.shared, 28)
  const [before, now] = [excerpt.previous, excerpt.next].map((text) => fitColumns(text, 48))
  return [`  before: ${old}${shared}⟦${before}⟧`, `  now:    ${young}${shared}⟦${now}⟧`]
}
