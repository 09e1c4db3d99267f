import { resolve } from "node:path"
import { checkOptions, checkShape } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { type Clock, hostPorts, type Timers } from "../../core/ports.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { builtinTools } from "../builtin-tools.ts"
import { type LoadPluginOptions, loadPlugin, pluginOptions, skillPluginTools } from "./load-plugin.ts"
import type { PluginFault } from "./plugin-module.ts"

/** The places in which plugins are looked up, and the values that they are made from. */
export interface LoadPluginsOptions {
  /** The folder that paths are relative to; packages are looked up from here, then from the process's folder. Default: the process's. */
  readonly folder?: string | undefined
  /** The options of plugins, a table by the plugin's name in `enabled`, or by a path's file name without its ending. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  /** Default `en`. */
  readonly locale?: string | undefined
  /** Folders laid out as the shipped `prompts/`, in which built-in plugins look for skills before the shipped one. Default: `prompts` in the process's folder. */
  readonly promptFolders?: readonly string[] | undefined
  /** The file of the agent's persona. The plugin `character` finds there what belongs to it, such as its state. */
  readonly persona?: string | undefined
  /** Default `./data`. */
  readonly dataFolder?: string | undefined
  /** Default: the host's. */
  readonly clock?: Clock | undefined
  /** Default: the host's. */
  readonly timers?: Timers | undefined
  /** The time limit for a module to load, and again for its function to return. Default 10,000. */
  readonly timeoutMs?: number | undefined
}

/**
 * Loads plugins in the given order (L10). An entry is the name of a built-in plugin (`memory`), a path, or the name of a package.
 * A module exports `plugin` or a default: a plugin, or a function from options and context to one. `diary` and `file-navigation`
 * bring the file tools that their skills use, on the folder `workspace` of `dataFolder`. If an entry gives no plugin,
 * none is loaded: one error `plugin` says what is wrong with each.
 */
export async function loadPlugins(enabled: readonly string[], options: LoadPluginsOptions = {}): Promise<readonly Plugin[]> {
  checkShape("the enabled of loadPlugins", enabled, ["string"])
  checkOptions("loadPlugins", options, "folder options locale promptFolders persona dataFolder clock timers timeoutMs")
  const { plugins, faults } = await collectPlugins(enabled, options)
  if (faults.length === 0) return withSkillTools(plugins, options)
  const lines = faults.map(({ at, message, note }) =>
    [`${JSON.stringify(enabled[at])}: ${message}`, note].filter(Boolean).join("\n"),
  )
  throw new PromptStrataError("plugin", lines.join("\n"), { evidence: { faults } })
}

/** Gives the built-in tools that skills use to the first plugin of a skill. Together they share one record of what was read. */
function withSkillTools(plugins: readonly Plugin[], { locale = "en", dataFolder = "data", clock }: LoadPluginsOptions) {
  const names = skillPluginTools(plugins)
  if (names.length === 0) return plugins
  const place = { locale, dataFolder: resolve(dataFolder), clock: clock ?? hostPorts.clock }
  const first = plugins.findIndex((plugin) => skillPluginTools([plugin]).length > 0)
  return plugins.map((plugin, at) => (at === first ? { ...plugin, tools: builtinTools(names, place) } : plugin))
}

/** {@link loadPlugins} with faults as data, sorted by their place in `enabled`. */
export async function collectPlugins(
  enabled: readonly string[],
  given: LoadPluginsOptions & Pick<LoadPluginOptions, "made">,
): Promise<{ readonly plugins: readonly Plugin[]; readonly faults: readonly PluginFault[] }> {
  const { folder = process.cwd(), locale = "en", promptFolders = [resolve("prompts")], dataFolder = "data" } = given
  const { clock = hostPorts.clock, timers = hostPorts.timers, timeoutMs = 10_000, made, persona } = given
  const context = { locale, clock, dataFolder: resolve(dataFolder), profileFolder: resolve(folder) }
  const loaded: { readonly at: number; readonly plugin: Plugin }[] = []
  const faults: PluginFault[] = []
  // One after the other, as a plugin may do something while it is made: the order must not depend on which is faster.
  for (const [at, name] of enabled.entries()) {
    const options = pluginOptions(name, given.options ?? {})
    const outcome = await loadPlugin(name, { options, context, promptFolders, persona, timers, timeoutMs, made })
    if ("plugin" in outcome) loaded.push({ at, plugin: outcome.plugin })
    else faults.push({ at, ...outcome.problem })
  }
  faults.push(...nameCollisions(loaded))
  return { plugins: loaded.map(({ plugin }) => plugin), faults: faults.sort((a, b) => a.at - b.at) }
}

/** One fault for each plugin whose name, or the name of one of whose parts, is taken: one of the two would hide the other. */
function nameCollisions(loaded: readonly { readonly at: number; readonly plugin: Plugin }[]): PluginFault[] {
  const owners = new Map<string, string>()
  return loaded.flatMap(({ at, plugin }) => {
    const owner = JSON.stringify(plugin.name)
    const faults = namesOf(plugin).flatMap(({ kind, name }): PluginFault[] => {
      const key = `${kind} ${name}`
      const other = owners.get(key)
      if (other === undefined) {
        owners.set(key, owner)
        return []
      }
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
