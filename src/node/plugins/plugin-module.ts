import type { Clock } from "../../core/ports.ts"
import type { TrustedText } from "../../core/value.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import type { ToolDefinition } from "../../prompt/tools/define-tool.ts"
import type { Tool } from "../../prompt/tools/tool.ts"

/** The second argument of a plugin's function. */
export interface PluginContext {
  /** Such as `en` or `zh-CN`. */
  readonly locale: string
  /** A plugin may keep files here, in a folder of its own. The data folder may not exist yet. */
  readonly dataFolder: string
  readonly clock: Clock
  /** The folder of the profile that enables the plugin. */
  readonly profileFolder: string
}

/** A skill as a plugin writes it. Without a path its mode is inline, as a model could not read it. */
export type SkillDefinition = Pick<Skill, "name" | "description"> &
  Partial<Omit<Skill, "content">> & { readonly content: string | TrustedText }

/** A plugin as its module writes it. Tools and skills may be plain definitions, so that a single file needs no package. */
export interface PluginDefinition extends Omit<Plugin, "tools" | "skills"> {
  readonly tools?: readonly (Tool | ToolDefinition)[]
  readonly skills?: readonly (Skill | SkillDefinition)[]
}

/** Makes a plugin from its `[plugins.options.NAME]`; `{}` if the profile has no such table. */
export type PluginFactory = (
  options: Readonly<Record<string, unknown>>,
  context: PluginContext,
) => PluginDefinition | Promise<PluginDefinition>

/** The reason why a plugin cannot be used: a sentence, and lines that are printed below it. */
export type PluginProblem = { readonly message: string; readonly note?: string }

/** A problem with one entry of `enabled`. */
export interface PluginFault extends PluginProblem {
  /** The index of the entry in `enabled`. */
  readonly at: number
}

/** A plugin, or the reason why there is none. */
export type PluginOutcome = { readonly plugin: Plugin } | { readonly problem: PluginProblem }
