import { resolve } from "node:path"
import { defaultPorts } from "../../agent/agent-store.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Clock, Timers } from "../../core/ports.ts"
import type { Plugin } from "../../services/plugin.ts"
import { loadPlugin, type PluginSurroundings } from "./load-plugin.ts"
import { nameCollisions } from "./plugin-collisions.ts"
import type { PluginFault } from "./plugin-module.ts"
import { pluginOptions } from "./plugin-path.ts"

/** How plugins are found and made. */
export interface LoadPluginsOptions {
  /** What paths are relative to and packages are found from, before the process's folder. Default: that. */
  readonly folder?: string
  /** A table for each plugin that wants one, by what stands in `enabled`, or by a path's file name without its ending. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Default `en`. */
  readonly locale?: string
  /** Folders laid out as the shipped `prompts/`, before it, for built-in skill plugins. Default: `prompts` where the process runs. */
  readonly promptFolders?: readonly string[]
  /** Default `./data`. */
  readonly dataFolder?: string
  /** Default: the host's. */
  readonly clock?: Clock
  /** Default: the host's. */
  readonly timers?: Timers
  /** For a module to load and for its function to return, each. Default 10,000. */
  readonly timeoutMs?: number
}

/**
 * Loads plugins in this order (L10): built-in ones by name (`memory`), ES modules by path or package, which export `plugin`, or a
 * default: a plugin, or a function from options and context to one. One error `plugin` says what is wrong with each; then none
 * is loaded.
 */
export async function loadPlugins(enabled: readonly string[], options: LoadPluginsOptions = {}): Promise<readonly Plugin[]> {
  const { plugins, faults } = await collectPlugins(enabled, options)
  if (faults.length === 0) return plugins
  const lines = faults.map(({ at, message, note }) =>
    [`${JSON.stringify(enabled[at])}: ${message}`, note].filter(Boolean).join("\n"),
  )
  throw new PromptStrataError("plugin", lines.join("\n"), { evidence: { faults } })
}

/** {@link loadPlugins} with faults as data. `made` keeps what modules made, for the next time. */
export async function collectPlugins(
  enabled: readonly string[],
  given: LoadPluginsOptions & Pick<PluginSurroundings, "made">,
): Promise<{ readonly plugins: readonly Plugin[]; readonly faults: readonly PluginFault[] }> {
  const loaded: { readonly at: number; readonly plugin: Plugin }[] = []
  const faults: PluginFault[] = []
  // One after the other, as enabled: what a plugin does while it is made must not depend on who is faster.
  for (const [at, name] of enabled.entries()) {
    const outcome = await loadPlugin(name, surroundingsOf(name, given))
    if ("plugin" in outcome) loaded.push({ at, plugin: outcome.plugin })
    else faults.push({ at, ...outcome.problem })
  }
  faults.push(...nameCollisions(loaded))
  return { plugins: loaded.map(({ plugin }) => plugin), faults: faults.sort((a, b) => a.at - b.at) }
}

function surroundingsOf(name: string, given: LoadPluginsOptions & Pick<PluginSurroundings, "made">): PluginSurroundings {
  const { folder = process.cwd(), locale = "en", promptFolders = [resolve("prompts")], dataFolder = "data" } = given
  const { clock = defaultPorts.clock, timers = defaultPorts.timers, timeoutMs = 10_000, made } = given
  return {
    options: pluginOptions(name, given.options ?? {}),
    context: { locale, clock, dataFolder: resolve(dataFolder), profileFolder: resolve(folder) },
    locale,
    promptFolders,
    timers,
    timeoutMs,
    ...(made ? { made } : {}),
  }
}
