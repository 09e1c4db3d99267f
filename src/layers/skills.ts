import { priority } from "../core/priority.ts"
import type { Source } from "../core/source.ts"
import type { Entry, Text } from "../core/value.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import type { InjectionInput } from "../stack/injection.ts"

/** How a skill stands in the prompt (L5): whole, or as a line that says where to read it. */
export type SkillMode = "inline" | "outline"

/** Something an agent knows how to do: a Markdown file, or a folder in the open Agent Skills form. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly mode: SkillMode
  /** Ascending order among inline skills; then by name. */
  readonly priority: number
  /** The body, without front matter. */
  readonly content: Text
  /** Where `read` finds it, as the model is told; absent for a skill that is no file. */
  readonly path?: string
  /** The Markdown file itself, as an absolute path; absent for a skill that is no file. */
  readonly file?: string
  /** Tools that the skill says it needs; told, never granted. */
  readonly allowedTools: readonly string[]
  /** Files beside it, relative to its folder. */
  readonly resources: readonly string[]
  /** Of these, what could be run; listed, never run. */
  readonly scripts: readonly string[]
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly source: Source
}

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

/** Skills as layer 3 shows them. */
interface OrderedSkills {
  readonly inline: readonly Skill[]
  readonly outline: readonly Skill[]
}

/** Parts skills by mode, each part by ascending priority, then by name in code unit order: the same on every machine (L5). */
function orderSkills(skills: readonly Skill[]): OrderedSkills {
  const ordered = skills.toSorted((a, b) => a.priority - b.priority || compare(a.name, b.name))
  return {
    inline: ordered.filter(({ mode }) => mode === "inline"),
    outline: ordered.filter(({ mode }) => mode === "outline"),
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
