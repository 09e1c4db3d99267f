import { PromptStrataError } from "../core/errors.ts"
import type { Skill } from "../layers/skills/skill.ts"
import type { Profile } from "../profile/profile.ts"
import type { Plugin } from "../services/plugin.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { Tool } from "../tools/tool.ts"

/** What extends an agent: the profile's plugins first, then what `createAgent` was given. */
export interface AgentExtensions {
  readonly tools: readonly Tool[]
  readonly hooks: readonly TurnHook[]
  readonly plugins: readonly Plugin[]
  readonly skills: readonly Skill[]
}

/** Gathers tools and hooks. Two plugins or two hooks of one name throw `usage`: their state would be one. */
export function agentExtensions(profile: Profile, given: Partial<AgentExtensions>): AgentExtensions {
  const plugins = [...profile.plugins, ...(given.plugins ?? [])]
  const hooks = [...plugins.flatMap((plugin) => plugin.hooks ?? []), ...(given.hooks ?? [])]
  checkNames("plugins", plugins)
  checkNames("hooks", hooks)
  return {
    tools: [...profile.tools.builtin, ...plugins.flatMap((plugin) => plugin.tools ?? []), ...(given.tools ?? [])],
    hooks,
    plugins,
    skills: [...profile.skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])],
  }
}

function checkNames(kind: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of named) {
    if (seen.has(name)) {
      throw new PromptStrataError("usage", `expected ${kind} of different names, found two named ${JSON.stringify(name)}.`, {
        hint: "Name it once in the profile, or rename one of them.",
        evidence: { kind, name },
      })
    }
    seen.add(name)
  }
}
