import { PromptStrataError } from "../../core/errors.ts"
import { isEmptyValue, priority, type SlotValue, type TrustedText } from "../../core/value.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Profile } from "../../profile/profile.ts"
import { type Dialect, dialectNames } from "../../prompt/dialect/dialect.ts"
import { type Skill, skillsInjection } from "../../prompt/layers/skills.ts"
import type { InjectionInput } from "../../prompt/stack/injection.ts"
import { PromptStack } from "../../prompt/stack/prompt-stack.ts"

/** Ranks of the format and the persona; the persona is cut last (S13). */
const ranks = { format: 80, persona: 100 } as const

interface StackSources {
  readonly dialect: Dialect
  readonly skills: readonly Skill[]
  readonly plugins?: readonly Plugin[]
  readonly injections: readonly InjectionInput[]
}

/** Makes the stack that every session of an agent forks: the items of the profile and of `createAgent`. */
export function baseStack(profile: Profile, { dialect, skills, plugins = [], injections }: StackSources): PromptStack {
  const { persona, format, final, user } = profile
  const variables = { ...defaultVariables(profile, dialect, plugins), ...profile.variables }
  const layers = [
    layer("persona", persona, {
      priority: priority.characterProfile,
      fit: { rank: ranks.persona, shrink: "headTail", minTokens: 1 },
    }),
    ...(format
      ? [layer("format", format, { priority: priority.characterProfile, fit: { rank: ranks.format, shrink: "headTail" } })]
      : []),
    skillsInjection(skills),
    ...(final.system ? [layer("final_system", final.system)] : []),
    ...(user.description ? [layer("user_persona", user.description)] : []),
  ]
  for (const { key, content } of layers) {
    if (isEmptyValue(content)) continue
    // The item that comes last would take the layer's place, and nobody would be told.
    if (Object.hasOwn(variables, key)) throw layerReplaced(key, "a variable of the profile")
    if (injections.some((injection) => injection.key === key)) throw layerReplaced(key, "an injection of createAgent")
  }
  return new PromptStack([
    ...layers,
    ...Object.entries(variables).map(([key, value]) => layer(key, value)),
    ...injections.map((injection): InjectionInput => ({ scope: "global", ...injection })),
  ])
}

function layer(key: string, content: SlotValue | TrustedText, options: Partial<InjectionInput> = {}): InjectionInput {
  return { ...options, key, content: isEmptyValue(content) ? "" : content, trust: "author", scope: "global" }
}

/** Variables that follow from other settings of the profile and from plugins (R3). Only those that the dialect uses and `[variables]` does not set. */
function defaultVariables(profile: Profile, dialect: Dialect, plugins: readonly Plugin[]): Record<string, string> {
  const { agent, user, history, files, output, variables } = profile
  const { contextCount, window } = history
  // The most that a prompt shows: a window that moves in steps shows fewer than twice the number that it keeps at least.
  const shownAtMost = window === "steps" ? Math.max(0, 2 * contextCount - 1) : contextCount
  const facts = new Map([
    ["agent_name", { value: agent.name, setBy: "the profile" }],
    ["user_name", { value: user.name, setBy: "the profile" }],
    ["context_count", { value: String(shownAtMost), setBy: "the profile" }],
    ["supported_formats", { value: (output.files?.formats ?? files.formats).join(", "), setBy: "the profile" }],
  ])
  for (const plugin of plugins) {
    for (const [name, value] of Object.entries(plugin.variables ?? {})) {
      if (Object.hasOwn(variables, name)) continue
      const setBy = `the plugin ${JSON.stringify(plugin.name)}`
      const other = facts.get(name)
      if (other) throw setTwice(name, [other.setBy, setBy])
      facts.set(name, { value, setBy })
    }
  }
  const named = dialectNames(dialect).all
  const used = [...facts].filter(([name]) => named.has(name) && !Object.hasOwn(variables, name))
  return Object.fromEntries(used.map(([name, { value }]) => [name, value]))
}

function layerReplaced(key: string, by: string): PromptStrataError {
  return new PromptStrataError("usage", `expected one text for the layer ${JSON.stringify(key)}, found ${by} of the same name.`, {
    hint: `Rename it, such as my_${key}, or leave the profile's own ${key} empty.`,
    evidence: { name: key },
  })
}

function setTwice(name: string, setBy: readonly string[]): PromptStrataError {
  const message = `expected the variable ${JSON.stringify(name)} to be set once, found it set by ${setBy.join(" and by ")}.`
  const hint = "Set it under [variables] in the profile, whose value goes before all others."
  return new PromptStrataError("usage", message, { hint, evidence: { kind: "variables", name } })
}
