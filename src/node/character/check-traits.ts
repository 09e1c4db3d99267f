import { hasLineBreak } from "../../encode/line-breaks.ts"
import { traitLimits } from "../../layers/character/change-traits.ts"

/** The longest value an author may write, in UTF-16 units. */
const maxValueLength = 500

/** What is wrong with a trait as an author wrote it, in words for people; `undefined` for a good one. */
export function traitFault(name: string, value: unknown): string | undefined {
  const shown = JSON.stringify(name.slice(0, 60))
  if (name.trim() === "" || hasLineBreak(name) || name.length > traitLimits.nameLength)
    return `expected a name of one line and at most ${traitLimits.nameLength} characters, found ${shown}.`
  if (typeof value === "boolean" || typeof value === "number") return undefined
  if (typeof value === "string" && value.trim() !== "" && !hasLineBreak(value.trim()) && value.length <= maxValueLength)
    return undefined
  const found = (JSON.stringify(value) ?? "nothing").slice(0, 80)
  return `${name}: expected one line of text of at most ${maxValueLength} characters, found ${found}.`
}
