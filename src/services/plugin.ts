import type { Skill } from "../layers/skills.ts"
import type { OutputFormat } from "../reply/output/output-part.ts"
import type { Tool } from "../tools/tool.ts"
import type { BackgroundJob } from "./background/background-job.ts"
import type { Observer } from "./observer.ts"
import type { TurnHook } from "./turn-hook.ts"

/**
 * A set of extensions of an agent: tools (layer 4), skills (layer 3), hooks around turns (layer 5), formats (L10), observers, jobs. Their
 * names must not collide with those of the agent and of its other plugins. They run concurrently for different conversations, so what
 * a plugin keeps for itself must allow that.
 */
export interface Plugin {
  /** Unique among an agent's plugins. */
  readonly name: string
  readonly tools?: readonly Tool[]
  readonly skills?: readonly Skill[]
  readonly hooks?: readonly TurnHook[]
  readonly formats?: readonly OutputFormat[]
  /** Watch turns without slowing them (R26). */
  readonly observers?: readonly Observer[]
  /** Work that follows turns. It survives the end of the process. */
  readonly jobs?: readonly BackgroundJob[]
  /** Values of prompt variables (R3). Values in the profile's `[variables]` take precedence. */
  readonly variables?: Readonly<Record<string, string>>
  /** True for the name of a tool that the plugin adds later, in a hook. A profile can then name this tool as prestart. */
  mayAddTool?(tool: string): boolean
  /**
   * Frees what the plugin holds. It is called once, when the agent is closed and its last turn has ended, concurrently with that of other
   * plugins and within a time limit. `agent.close()` rejects with what it throws, or with `plugin` if it takes too long.
   */
  close?(): void | Promise<void>
}
