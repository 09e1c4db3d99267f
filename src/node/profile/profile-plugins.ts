import { dirname, resolve } from "node:path"
import { didYouMean } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { LoreSettings } from "../../prompt/layers/lorebook/lore-settings.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import type { LorebookPlace } from "../cards/lorebook-file.ts"
import { fileExists, isFolder } from "../file-log.ts"
import { loadCharacters, optionNames } from "../plugins/load-plugin.ts"
import { collectPlugins, type LoadPluginsOptions } from "../plugins/load-plugins.ts"
import { displayPath } from "../shipped-files.ts"
import { nearestSetting, type ProfileSearch, report } from "./profile-chain.ts"

/** The options of plugins, and everything beside the profile that plugins are loaded with. */
type PluginLoading = Omit<LoadPluginsOptions, "folder" | "locale"> & { readonly made: Map<string, Plugin> }

/** Loads what `[plugins] enabled` names and reports what cannot be loaded, each at its own place (L10). */
export async function loadProfilePlugins(search: ProfileSearch, loading: PluginLoading): Promise<readonly Plugin[]> {
  const setting = nearestSetting(search.chain, "plugins", "enabled")
  if (setting === undefined) return []
  const { document, value, path } = setting
  const places = { folder: dirname(document.path), locale: search.locale }
  const { plugins, faults } = await collectPlugins(value, { ...loading, ...places })
  for (const { at, message, note } of faults) report(search, { document, path: [...path, at] }, message, note)
  return plugins
}

/** Reports tools of plugins that have the name of a built-in one of the profile, each at its plugin's place: a model could not tell them apart. */
export function checkPluginTools(search: ProfileSearch, plugins: readonly Plugin[], builtin: readonly Tool[] = []): void {
  const setting = nearestSetting(search.chain, "plugins", "enabled")
  const taken = new Set(builtin.map(({ name }) => name))
  for (const [at, { name: plugin, tools = [] }] of plugins.entries()) {
    const tool = tools.find(({ name }) => taken.has(name))
    if (setting === undefined || tool === undefined) continue
    report(
      search,
      { ...setting, path: [...setting.path, at] },
      `expected tools of different names, found ${JSON.stringify(tool.name)} in the plugin ${JSON.stringify(plugin)} and among the built-in tools of this profile.`,
      "Rename the plugin's, or leave the other out of [tools] enabled.",
    )
  }
}

/**
 * Reports options of plugins that are not enabled where they stand: nothing would read them. A profile that extends this one may
 * drop the plugin and leave its options.
 */
export function checkPluginOptions(search: ProfileSearch): void {
  for (const [at, document] of search.chain.entries()) {
    const enabled = nearestSetting(search.chain.slice(at), "plugins", "enabled")?.value ?? []
    const known = enabled.flatMap(optionNames)
    for (const name of Object.keys(document.settings.plugins?.options ?? {})) {
      if (known.includes(name)) continue
      const list = enabled.length === 0 ? "none is enabled" : `enabled are ${enabled.join(", ")}`
      const message = `expected the name of a plugin that is enabled, found ${JSON.stringify(name)}; ${list}.${didYouMean(name, known)}`
      report(search, { document, path: ["plugins", "options", name] }, message)
    }
  }
}

/** The paths of the lorebooks that `[lorebook]` names. Reports those that are not there. */
export function findLorebooks(search: ProfileSearch): readonly string[] {
  const setting = nearestSetting(search.chain, "lorebook", "files")
  if (setting === undefined) return []
  const { document, value, path } = setting
  const paths = value.map((file) => resolve(dirname(document.path), file))
  for (const [at, file] of paths.entries()) {
    if (fileExists(file) || isFolder(file)) continue
    report(search, { document, path: [...path, at] }, `expected a lorebook, found none at ${displayPath(file)}.`)
  }
  return paths
}

/** Reads lorebooks and the author's note as a plugin; none without files and a note. */
export async function readLorebooks(
  paths: readonly string[],
  lore: LoreSettings,
  place: LorebookPlace,
): Promise<readonly Plugin[]> {
  return paths.length === 0 && place.note?.text === undefined ? [] : [(await loadCharacters()).lorebookPlugin(paths, lore, place)]
}
