import type { Plugin } from "../../services/plugin.ts"
import { characterPlugin } from "../character/character-plugin.ts"
import { loadSkills } from "../skills/load-skills.ts"
import type { PluginContext } from "./plugin-module.ts"

/** What built-in plugins are made from. */
export interface BuiltinPluginOptions {
  readonly locale: string
  /** Folders laid out as the shipped `prompts/`, before it: a skill of your own there replaces the plugin's. */
  readonly promptFolders: readonly string[]
  /** The plugin's own table, `{}` where it has none. */
  readonly options: Readonly<Record<string, unknown>>
  readonly context: PluginContext
}

type Maker = (name: string, options: BuiltinPluginOptions) => Plugin | Promise<Plugin>

/** A skill plugin: one shipped skill, over tools that the agent has anyway (L11). */
const skillPlugin: Maker = async (name, { locale, promptFolders }) => ({
  name,
  skills: await loadSkills([name], { locale, promptFolders }),
})

const makers: Readonly<Record<string, Maker>> = {
  character: (_name, { options, locale, promptFolders, context }) =>
    characterPlugin(options, { locale, promptFolders, folder: context.profileFolder }),
  diary: skillPlugin,
  "file-navigation": skillPlugin,
  // Its presence is what `loadProfile` looks for: it turns recall on (L8).
  memory: (name) => ({ name }),
}

/** The names of the built-in plugins, in order. */
export const builtinPluginNames: readonly string[] = Object.keys(makers).sort()

/** The built-in plugin of that name, made anew; `undefined` for another name. */
export async function builtinPlugin(name: string, options: BuiltinPluginOptions): Promise<Plugin | undefined> {
  return Object.hasOwn(makers, name) ? makers[name]?.(name, options) : undefined
}
