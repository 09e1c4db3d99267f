import { priority } from "../../core/priority.ts"
import type { Entry, Text } from "../../core/value.ts"
import { hasLineBreak } from "../../encode/line-breaks.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import { orderSkills } from "./order-skills.ts"
import type { Skill } from "./skill.ts"

/** Skills give way after the tools and before the format (S13). */
const rank = 75

/**
 * Layer 3 for the slot `skills`: an entry for each inline skill, then one that holds the outline list, printed by a dialect's
 * `skills.md` and `skill_outline.md` (L5). Texts carry their skill's trust. No skills are an empty list, which prints nothing.
 */
export function skillsInjection(skills: readonly Skill[]): InjectionInput {
  const { inline, outline } = orderSkills(skills)
  const whole = inline.map(({ content }): Entry => ({ content }))
  return {
    key: "skills",
    content: outline.length === 0 ? whole : [...whole, { skill_outline: outline.map(outlineEntry) }],
    trust: "author",
    scope: "global",
    priority: priority.toolInstructions,
    fit: { rank, shrink: "entries" },
  }
}

function outlineEntry({ name, description, path = "", content: { trust }, source }: Skill): Entry {
  const line = (text: string): Text => ({ text: onOneLine(text), trust, source })
  // A path must be read back as it is, so a broken line in it is quoted, not mended.
  const shownPath: Text = { text: path, trust: hasLineBreak(path) ? "tool" : trust, source }
  return { name: line(name), description: line(description), path: shownPath }
}

/** White space and line breaks of every kind become single spaces. */
function onOneLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, " ").trim()
}
