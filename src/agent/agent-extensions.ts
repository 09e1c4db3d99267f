import { PromptStrataError } from "../core/errors.ts"
import type { Skill } from "../layers/skills.ts"
import type { Profile } from "../profile/profile.ts"
import type { BackgroundJob } from "../services/background/background-job.ts"
import type { Observer } from "../services/observer.ts"
import type { Plugin } from "../services/plugin.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { Tool } from "../tools/tool.ts"
import { injectionHook } from "./observers/injection-notes.ts"

/** The extensions of an agent. Those of the profile's plugins come first, then those that `createAgent` was given. */
export interface AgentExtensions {
  readonly tools: readonly Tool[]
  readonly hooks: readonly TurnHook[]
  readonly plugins: readonly Plugin[]
  readonly skills: readonly Skill[]
  readonly observers: readonly Observer[]
  readonly jobs: readonly BackgroundJob[]
}

/**
 * Gathers tools, hooks, observers and jobs. Observers add the hook that takes their injections. Two plugins, hooks, observers or jobs
 * of one name throw `usage`, because they would share their state.
 */
export function agentExtensions(profile: Profile, given: Partial<AgentExtensions>): AgentExtensions {
  const plugins = [...profile.plugins, ...(given.plugins ?? [])]
  const observers = [...plugins.flatMap((plugin) => plugin.observers ?? []), ...(given.observers ?? [])]
  const hooks = [
    ...(observers.length > 0 ? [injectionHook] : []),
    ...plugins.flatMap((plugin) => plugin.hooks ?? []),
    ...(given.hooks ?? []),
  ]
  checkNames("plugins", plugins)
  checkNames("hooks", hooks)
  checkNames("observers", observers)
  const jobs = plugins.flatMap((plugin) => plugin.jobs ?? [])
  const named = jobs.map(({ kind }) => ({ name: kind }))
  checkNames("jobs", named)
  return {
    jobs,
    tools: [...profile.tools.builtin, ...plugins.flatMap((plugin) => plugin.tools ?? []), ...(given.tools ?? [])],
    hooks,
    observers,
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
