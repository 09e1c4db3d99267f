import type { Skill } from "../../../src/prompt/layers/skills.ts"

/** A skill with a name and the given members. */
export function skillOf(name: string, special: Partial<Skill> = {}): Skill {
  return {
    name,
    description: `How to ${name}.`,
    mode: "outline",
    priority: 100,
    content: { text: `Instructions of ${name}.`, trust: "author", source: { file: `${name}.md`, line: 5 } },
    allowedTools: [],
    resources: [],
    scripts: [],
    metadata: {},
    source: { file: `${name}.md`, line: 1 },
    ...special,
  }
}
