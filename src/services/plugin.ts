import type { Skill } from "../layers/skills/skill.ts"
import type { OutputFormat } from "../reply/output/output-part.ts"
import type { Tool } from "../tools/tool.ts"
import type { BackgroundJob } from "./background-job.ts"
import type { Observer } from "./observer.ts"
import type { TurnHook } from "./turn-hook.ts"

/** What extends an agent without a line of its code: tools (layer 4), skills (layer 3), hooks around turns (layer 5), formats (L10). */
export interface Plugin {
  readonly name: string
  readonly tools?: readonly Tool[]
  readonly skills?: readonly Skill[]
  readonly hooks?: readonly TurnHook[]
  readonly formats?: readonly OutputFormat[]
  /** What watches turns beside them (R26). */
  readonly observers?: readonly Observer[]
  /** What follows its turns, durably. */
  readonly jobs?: readonly BackgroundJob[]
  /** Values of prompt variables (R3), for prompts that name them; the profile's `[variables]` go before. */
  readonly variables?: Readonly<Record<string, string>>
  /** True for the name of a tool that it may not have yet, but add before a turn: a profile can name such a tool as prestart. */
  mayAdd?(tool: string): boolean
  /** Frees what the plugin holds; called once, when the agent is closed and its last turn has ended. */
  close?(): void | Promise<void>
}
