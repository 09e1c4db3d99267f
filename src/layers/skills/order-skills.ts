import type { Skill } from "./skill.ts"

/** Skills as layer 3 shows them. */
export interface OrderedSkills {
  readonly inline: readonly Skill[]
  readonly outline: readonly Skill[]
}

/** Parts skills by mode, each part by ascending priority, then by name in code unit order: the same on every machine (L5). */
export function orderSkills(skills: readonly Skill[]): OrderedSkills {
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
