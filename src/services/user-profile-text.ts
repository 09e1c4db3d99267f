import { graphemeBoundaryBefore } from "../core/grapheme-boundary.ts"
import type { ProfileStatement, UserProfile } from "./user-profile.ts"

const maxValueCharacters = 200
const msPerDay = 86_400_000

/**
 * What holds of a user in at most so many characters, a field a line, by name. Where all do not fit, the newest and surest stay
 * whole; a value alone is cut between graphemes.
 */
export function userProfileText({ fields }: Pick<UserProfile, "fields">, maxCharacters: number): string {
  const ranked = [...fields].sort((a, b) => worth(b) - worth(a) || (a.name < b.name ? -1 : 1))
  const lines = new Map<ProfileStatement, string>()
  let left = maxCharacters + 1
  for (const field of ranked) {
    const line = lineOf(field, Math.min(maxValueCharacters, maxCharacters))
    if (line.length + 1 > left) continue
    lines.set(field, line)
    left -= line.length + 1
  }
  return fields.flatMap((field) => lines.get(field) ?? []).join("\n")
}

/** A day is worth as much as a hundredth of confidence. */
function worth({ atMs, confidence }: ProfileStatement): number {
  return atMs / msPerDay + confidence * 100
}

function lineOf({ name, value }: ProfileStatement, maxCharacters: number): string {
  const line = `${oneLine(name)}: ${oneLine(value)}`
  return line.length <= maxCharacters ? line : `${line.slice(0, graphemeBoundaryBefore(line, Math.max(0, maxCharacters - 1)))}…`
}

function oneLine(text: string): string {
  return text.split(/\s+/u).filter(Boolean).join(" ")
}
