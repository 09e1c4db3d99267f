import { graphemeBoundaryBefore } from "../core/grapheme-boundary.ts"
import type { ContextSettings } from "../profile/profile.ts"

/** What history keeps of the memories a turn recalled: nothing, a line each of at most `olderCharacters` UTF-16 units, or all. */
export function keepRecalled(
  memories: readonly { readonly text: string }[],
  { older, olderCharacters }: ContextSettings,
): string[] {
  if (older === "drop") return []
  if (older === "keep") return memories.map(({ text }) => text)
  return memories.map(({ text }) => condense(text, olderCharacters)).filter((line) => line !== "")
}

function condense(text: string, characters: number): string {
  const line = text.split(/\s+/u).filter(Boolean).join(" ")
  if (line.length <= characters) return line
  return `${line.slice(0, graphemeBoundaryBefore(line, Math.max(0, characters - 1)))}…`
}
