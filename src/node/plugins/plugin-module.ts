import type { Clock } from "../../core/ports.ts"
import type { Text } from "../../core/value.ts"
import type { Skill } from "../../layers/skills.ts"
import type { Plugin } from "../../services/plugin.ts"
import type { ToolDefinition } from "../../tools/define-tool.ts"
import type { Tool } from "../../tools/tool.ts"

/** What a plugin's function gets beside its options. */
export interface PluginContext {
  /** Such as `en` or `zh-CN`. */
  readonly locale: string
  /** Where it may keep files, in a folder of its own; not there before the first file is. */
  readonly dataFolder: string
  readonly clock: Clock
  /** The folder of the profile that enables it. */
  readonly profileFolder: string
}

/** A skill as a plugin writes it; without a path it is inline, as nothing could be read. */
export type SkillDefinition = Pick<Skill, "name" | "description"> &
  Partial<Omit<Skill, "content">> & { readonly content: string | Text }

/** A plugin as one writes it: tools and skills may be plain definitions, so that a single file needs no package. */
export interface PluginDefinition extends Omit<Plugin, "tools" | "skills"> {
  readonly tools?: readonly (Tool | ToolDefinition)[]
  readonly skills?: readonly (Skill | SkillDefinition)[]
}

/** Makes a plugin from its `[plugins.options.NAME]`, `{}` where there are none. */
export type PluginFactory = (
  options: Readonly<Record<string, unknown>>,
  context: PluginContext,
) => PluginDefinition | Promise<PluginDefinition>

/** Why a plugin cannot be used: a sentence, and lines that go below it. */
export interface PluginProblem {
  readonly message: string
  readonly note?: string
}

/** One entry of `enabled` that gives no plugin. */
export interface PluginFault extends PluginProblem {
  /** Its place in `enabled`. */
  readonly at: number
}

/** A plugin or what is wrong with it. */
export type PluginOutcome = { readonly plugin: Plugin } | { readonly problem: PluginProblem }
