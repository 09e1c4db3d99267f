import type { Audience } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import { within } from "../../core/timers.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import type { BackgroundJob } from "./background/background-job.ts"
import type { DocumentMemory } from "./background/document-memory.ts"
import type { Observer } from "./observer.ts"
import type { TurnHook } from "./turn-hook.ts"

/** The person whom a greeting is for. */
export interface Listener {
  readonly name: string
  readonly audience: Audience
}

/** Pictures of a character: PNG, JPEG, WebP or GIF, by the emotions that they show, in small letters; `portrait` and `neutral` stand in for others. */
export interface Sprites {
  readonly pictures: ReadonlyMap<string, Uint8Array>
  /** Pictures that are not shown, each with the reason. `lint` tells them. */
  readonly problems: readonly string[]
}

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
  /** Documents into which the agent's background work writes what it learns. The first plugin that has some counts. */
  readonly documents?: DocumentMemory
  /** True if the call that judges how important a turn is also writes what happened in it, for a job of the plugin (H1). */
  readonly notesEvents?: boolean
  /** The greetings that can begin a conversation, for the person and the audience that they greet. They go before those of the profile. */
  greetings?(listener: Listener): readonly string[]
  /**
   * Changes an answer on its way to a person: its reader gets each stretch of the answer's text. What is kept, and what the model reads of
   * it later, stays as it was said. The first plugin that has one counts.
   */
  display?(listener: Listener): OutputFormat | undefined
  /** The character's pictures, for the page and for `serve`. It is called whenever one is asked for. The first plugin that has some counts. */
  sprites?(): Sprites
  /** Values of prompt variables (R3). Values in the profile's `[variables]` take precedence. Two plugins that set one variable are an error. */
  readonly variables?: Readonly<Record<string, string>>
  /** True for the name of a tool that the plugin adds later, in a hook. A profile can then name this tool as prestart. */
  mayAddTool?(tool: string): boolean
  /**
   * Frees what the plugin holds. It is called once, when the agent is closed and its last turn has ended, concurrently with that of other
   * plugins and within a time limit. `agent.close()` rejects with what it throws, or with `plugin` if it takes too long.
   */
  close?(): void | Promise<void>
}

/**
 * Closes plugins concurrently, each within `timeoutMs`, so that a plugin that hangs does not keep the program from ending. Throws the
 * error of a plugin, or `plugin` for one that took too long. Several errors are thrown as an `AggregateError`.
 */
export async function closePlugins(
  plugins: readonly Plugin[],
  { timers, timeoutMs }: { readonly timers: Timers; readonly timeoutMs: number },
): Promise<void> {
  const failed: unknown[] = []
  const close = async (plugin: Plugin): Promise<void> => {
    const outcome = await within({ timeoutMs, timers }, () => plugin.close?.())
    if (outcome.status === "failed") failed.push(outcome.error)
    if (outcome.status === "timeout") failed.push(tookTooLong(plugin, timeoutMs))
  }
  await Promise.all(plugins.map(close))
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, "Several plugins could not be closed.")
}

function tookTooLong({ name }: Plugin, timeoutMs: number): PromptStrataError {
  const message = `expected the plugin ${JSON.stringify(name)} to close, but it was not done after ${timeoutMs} ms.`
  return new PromptStrataError("plugin", message)
}
