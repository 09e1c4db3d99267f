import type { Source } from "../../core/source.ts"
import type { Text } from "../../core/value.ts"

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
