import type { Plugin } from "../../services/plugin.ts"
import type { PluginFault } from "./plugin-module.ts"

/** Names that two plugins, or two parts of one kind, have: each would hide the other or share its state. */
export function nameCollisions(loaded: readonly { readonly at: number; readonly plugin: Plugin }[]): PluginFault[] {
  const owners = new Map<string, string>()
  return loaded.flatMap(({ at, plugin }) => {
    const owner = JSON.stringify(plugin.name)
    const faults = namesOf(plugin).flatMap(({ kind, name }): PluginFault[] => {
      const key = `${kind} ${name}`
      const other = owners.get(key)
      if (other === undefined) owners.set(key, owner)
      if (other === undefined) return []
      const from = kind === "plugin" ? "" : ` in the plugin ${owner}; the first is in ${other}`
      return [{ at, message: `expected every ${kind} to have a name of its own, found a second ${JSON.stringify(name)}${from}.` }]
    })
    return faults.slice(0, 1)
  })
}

function namesOf({ name, tools = [], skills = [], hooks = [], formats = [] }: Plugin): { kind: string; name: string }[] {
  const of = (kind: string, parts: readonly { readonly name: string }[]) => parts.map((part) => ({ kind, name: part.name }))
  return [{ kind: "plugin", name }, ...of("tool", tools), ...of("skill", skills), ...of("hook", hooks), ...of("format", formats)]
}
