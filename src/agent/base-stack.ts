import { priority } from "../core/priority.ts"
import type { Text, Value } from "../core/value.ts"
import { isEmptyValue } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import type { Skill } from "../layers/skills.ts"
import { skillsInjection } from "../layers/skills.ts"
import type { Profile } from "../profile/profile.ts"
import type { Plugin } from "../services/plugin.ts"
import type { InjectionInput } from "../stack/injection.ts"
import { PromptStack } from "../stack/prompt-stack.ts"
import { defaultVariables } from "./default-variables.ts"

/** Ranks of layers 1 to 4: the format gives way before the persona, which goes last (S13). */
const ranks = { format: 80, persona: 100 } as const

/** What a base stack is made from beside the profile. */
interface StackSources {
  readonly dialect: Dialect
  readonly skills: readonly Skill[]
  readonly plugins?: readonly Plugin[]
  readonly injections: readonly InjectionInput[]
}

/** The agent's own stack: what the profile and `createAgent` put into every prompt of every session. */
export function baseStack(profile: Profile, { dialect, skills, plugins = [], injections }: StackSources): PromptStack {
  const { persona, format, final } = profile
  const variables = { ...defaultVariables(profile, dialect, plugins), ...profile.variables }
  return new PromptStack([
    layer("persona", persona, {
      priority: priority.characterProfile,
      fit: { rank: ranks.persona, shrink: "headTail", minTokens: 1 },
    }),
    ...(format
      ? [layer("format", format, { priority: priority.characterProfile, fit: { rank: ranks.format, shrink: "headTail" } })]
      : []),
    skillsInjection(skills),
    ...(final.system ? [layer("final_system", final.system)] : []),
    ...Object.entries(variables).map(([key, value]) => layer(key, value)),
    ...injections.map((injection): InjectionInput => ({ scope: "global", ...injection })),
  ])
}

function layer(key: string, content: Value | Text, options: Partial<InjectionInput> = {}): InjectionInput {
  return { ...options, key, content: isEmptyValue(content) ? "" : content, trust: "author", scope: "global" }
}
