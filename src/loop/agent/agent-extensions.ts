import { checkMembers, checkMemberTypes, checkOptions, checkType, shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { suggest } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Profile } from "../../profile/profile.ts"
import { noteHooks } from "./note-hooks.ts"
import { injectionHook } from "./observers/watch.ts"

/** The extensions of an agent. Those of the profile's plugins come first, then those that `createAgent` was given. */
export interface AgentExtensions extends Required<Pick<Plugin, "tools" | "hooks" | "skills" | "observers" | "jobs">> {
  readonly plugins: readonly Plugin[]
}

/**
 * Gathers tools, hooks, observers and jobs. Observers add the hook that takes their injections. Two plugins, hooks, observers or jobs
 * of one name throw `usage`, because they would share their state.
 */
export function agentExtensions(profile: Profile, given: Partial<AgentExtensions>): AgentExtensions {
  const plugins = [...profile.plugins, ...(given.plugins ?? [])]
  for (const plugin of plugins) checkPlugin(plugin)
  const observers = [...plugins.flatMap((plugin) => plugin.observers ?? []), ...(given.observers ?? [])]
  const hooks = [...plugins.flatMap((plugin) => plugin.hooks ?? []), ...(given.hooks ?? [])]
  checkNames("plugins", plugins)
  checkNames("hooks", [...[...noteHooks].map((name) => ({ name })), ...hooks])
  checkNames("observers", observers)
  const jobs = plugins.flatMap((plugin) => plugin.jobs ?? [])
  for (const hook of hooks) checkMembers(`The hook ${JSON.stringify(hook.name)}`, hook, hookNames)
  for (const observer of observers) checkMembers(`The observer ${JSON.stringify(observer.name)}`, observer, observerNames)
  for (const job of jobs) checkMembers(`The job ${JSON.stringify(job.kind)}`, job, jobNames)
  const named = jobs.map(({ kind }) => ({ name: kind }))
  checkNames("jobs", named)
  return {
    jobs,
    tools: [...profile.tools.builtin, ...plugins.flatMap((plugin) => plugin.tools ?? []), ...(given.tools ?? [])],
    hooks: observers.length > 0 ? [injectionHook, ...hooks] : hooks,
    observers,
    plugins,
    skills: [...profile.skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])],
  }
}

const hookNames = { name: true, beforeTurn: true, afterTurn: true, setAside: true }
const observerNames = { name: true, events: true, timeoutMs: true, maxQueued: true, observe: true }
const jobNames = { kind: true, afterTurn: true, mayWait: true, nextRunMs: true, run: true }
const pluginMethods = { greetings: true, display: true, sprites: true, mayAddTool: true, close: true }
const pluginLists = { tools: true, skills: true, hooks: true, formats: true, observers: true, jobs: true }
const pluginNames = { name: true, variables: true, documents: true, notesEvents: true, ...pluginLists, ...pluginMethods }

/** Throws `usage` for a misspelt member. Other functions are the plugin's own: a program may ask a connection for its state. */
function checkPlugin(plugin: Plugin): void {
  const lists = Object.keys(pluginLists).map((name) => `${name}:objects?`)
  checkMemberTypes(`the plugin ${shownValue(plugin.name)}`, plugin, `${lists.join(" ")} documents:object?`)
  if (Object.getPrototypeOf(plugin) !== Object.prototype) return
  const methods = Object.keys(pluginMethods)
  const own = Object.entries(plugin).filter(
    ([name, value]) => typeof value === "function" && suggest(name, methods) === undefined,
  )
  checkOptions(`The plugin ${shownValue(plugin.name)}`, plugin, { ...pluginNames, ...Object.fromEntries(own) })
}

function checkNames(kind: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of named) {
    checkType(`the ${kind.slice(0, -1)}'s name`, name, "string")
    if (seen.has(name)) {
      throw new PromptStrataError("usage", `expected ${kind} of different names, found two named ${JSON.stringify(name)}.`, {
        hint: "Name it once in the profile, or rename one of them.",
        evidence: { kind, name },
      })
    }
    seen.add(name)
  }
}
