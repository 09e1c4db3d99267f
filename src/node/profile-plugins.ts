import { dirname } from "node:path"
import { didYouMean } from "../core/suggest.ts"
import type { Plugin } from "../services/plugin.ts"
import type { Tool } from "../tools/tool.ts"
import { optionNames } from "./plugins/load-plugin.ts"
import { collectPlugins, type LoadPluginsOptions } from "./plugins/load-plugins.ts"
import { nearestWith } from "./profile-chain.ts"
import { type ProfileSearch, report } from "./profile-search.ts"
import type { ProfileDocument } from "./read-profile-file.ts"

/** What plugins are loaded with, beside what the profile says of them. */
export type ProfilePluginSurroundings = Omit<LoadPluginsOptions, "folder" | "options" | "locale"> & {
  readonly made?: Map<string, Plugin>
}

/** The names that the chain enables. */
function enabledPlugins(chain: readonly ProfileDocument[]): readonly string[] {
  return nearestWith(chain, "plugins", "enabled")?.data.plugins?.enabled ?? []
}

/** Loads what `[plugins] enabled` names and reports what cannot be loaded, each at its own place (L10). */
export async function loadProfilePlugins(
  search: ProfileSearch,
  { options, ...surroundings }: ProfilePluginSurroundings & Pick<LoadPluginsOptions, "options">,
): Promise<readonly Plugin[]> {
  const document = nearestWith(search.chain, "plugins", "enabled")
  if (document === undefined) return []
  const { plugins, faults } = await collectPlugins(enabledPlugins(search.chain), {
    ...surroundings,
    ...(options ? { options } : {}),
    folder: dirname(document.path),
    locale: search.locale,
  })
  for (const { at, ...said } of faults) report(search, { document, path: ["plugins", "enabled", at] }, said)
  return plugins
}

/** Reports tools of plugins that have the name of a built-in one of the profile, each at its plugin's place: a model could not tell them apart. */
export function checkPluginTools(search: ProfileSearch, plugins: readonly Plugin[], builtin: readonly Tool[] = []): void {
  const document = nearestWith(search.chain, "plugins", "enabled")
  const taken = new Set(builtin.map(({ name }) => name))
  for (const [at, { name: plugin, tools = [] }] of plugins.entries()) {
    const tool = tools.find(({ name }) => taken.has(name))
    if (document === undefined || tool === undefined) continue
    const message = `expected tools of different names, found ${JSON.stringify(tool.name)} in the plugin ${JSON.stringify(plugin)} and among the built-in tools of this profile.`
    const note = "Rename the plugin's, or leave the other out of [tools] enabled."
    report(search, { document, path: ["plugins", "enabled", at] }, { message, note })
  }
}

/**
 * Reports options of plugins that are not enabled where they stand: nothing would read them. A profile that extends this one may
 * drop the plugin and leave its options.
 */
export function checkPluginOptions(search: ProfileSearch): void {
  for (const [at, document] of search.chain.entries()) {
    const enabled = enabledPlugins(search.chain.slice(at))
    const known = enabled.flatMap(optionNames)
    for (const name of Object.keys(document.data.plugins?.options ?? {})) {
      if (known.includes(name)) continue
      const list = enabled.length === 0 ? "none is enabled" : `enabled are ${enabled.join(", ")}`
      const message = `expected the name of a plugin that is enabled, found ${JSON.stringify(name)}; ${list}.${didYouMean(name, known)}`
      report(search, { document, path: ["plugins", "options", name] }, { message })
    }
  }
}
