import type { SkillProblem } from "./skill-problem.ts"

/** A skill's file, not read yet. */
export interface FoundSkill {
  /** Absolute, links followed. */
  readonly path: string
  /** True for a folder in the open Agent Skills form. */
  readonly open: boolean
}

/** Where references are looked up. */
export interface SkillPlaces {
  readonly locale: string
  /** What paths are relative to. */
  readonly folder: string
  /** Folders laid out as the shipped `prompts/`, before it. */
  readonly promptFolders: readonly string[]
}

/** What a reference led to. */
export interface FoundSkills {
  readonly found: readonly FoundSkill[]
  readonly problems: readonly SkillProblem[]
}
