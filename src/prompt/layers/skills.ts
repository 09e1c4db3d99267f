import type { Source } from "../../core/source.ts"
import { priority, type SlotEntry, type TrustedText } from "../../core/value.ts"
import { hasLineBreak, onOneLine } from "../encode/line-breaks.ts"
import type { InjectionInput } from "../stack/injection.ts"

/** The form of a skill in the prompt (L5): whole, or as a line that says where to read it. A skill without a path is always shown whole. */
export type SkillMode = "inline" | "outline"

/** Instructions for something an agent can do: a Markdown file, or a folder in the open Agent Skills format. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly mode: SkillMode
  /** Skills are ordered by ascending priority, then by name. */
  readonly priority: number
  /** The body, without front matter. */
  readonly content: TrustedText
  /** The path that the model passes to `read`; absent for a skill that is not a file. */
  readonly path?: string
  /** The absolute path of the Markdown file; absent for a skill that is not a file. */
  readonly file?: string
  /** Tools that the skill says it needs. They are listed, never granted. */
  readonly allowedTools: readonly string[]
  /** Other files in its folder, as paths relative to it. */
  readonly resources: readonly string[]
  /** Those of `resources` that could be run. They are listed, never run. */
  readonly scripts: readonly string[]
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly source: Source
}

/** Skills are cut after the tools and before the format (S13). */
const rank = 75

/**
 * Layer 3 for the slot `skills`: an entry for each inline skill, then one with the list of outline skills. The dialect's `skills.md` and
 * `skill_outline.md` print them (L5). Texts carry their skill's trust. Without skills the list is empty and prints nothing.
 */
export function skillsInjection(skills: readonly Skill[]): InjectionInput {
  const ordered = skills.toSorted(bySkillOrder)
  // Without a path the model could not read the rest.
  const isOutline = ({ mode, path }: Skill) => mode === "outline" && path !== undefined
  const outline = ordered.filter(isOutline)
  const whole = ordered.filter((skill) => !isOutline(skill)).map(({ content }): SlotEntry => ({ content }))
  return {
    key: "skills",
    content: outline.length === 0 ? whole : [...whole, { skill_outline: outline.map(outlineEntry) }],
    trust: "author",
    scope: "global",
    priority: priority.toolInstructions,
    fit: { rank, shrink: "entries" },
  }
}

function outlineEntry({ name, description, path = "", content: { trust }, source }: Skill): SlotEntry {
  const line = (text: string): TrustedText => ({ text: onOneLine(text), trust, source })
  // A path must stay usable, so one with a line break is quoted, not changed.
  const shownPath: TrustedText = { text: path, trust: hasLineBreak(path) ? "tool" : trust, source }
  return { name: line(name), description: line(description), path: shownPath }
}

/** Orders skills by ascending priority, then by name in code unit order: the same on every machine (L5). */
function bySkillOrder(a: Skill, b: Skill): number {
  if (a.priority !== b.priority || a.name === b.name) return a.priority - b.priority
  return a.name < b.name ? -1 : 1
}
