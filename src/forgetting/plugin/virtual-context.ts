import type { PromptSource } from "../../dialect/prompt-source.ts"
import { shippedPrompts } from "../../dialect/shipped.ts"
import type { Plugin } from "../../services/plugin.ts"
import { toolWords } from "../../tools/tool-words.ts"
import { type ContextToolParts, contextToolNames } from "./context-tool-parts.ts"
import { contextVariables } from "./context-variables.ts"
import { compressJob } from "./jobs/compress-job.ts"
import { eventJob } from "./jobs/event-job.ts"
import { rollUpJob } from "./jobs/roll-up-job.ts"
import { type VirtualContextInput, virtualContextSettings } from "./settings.ts"
import { virtualContextName } from "./state.ts"
import { virtualContextHook } from "./virtual-context-hook.ts"

/** What a virtual context is made from; everything has a default. */
export interface VirtualContextOptions extends VirtualContextInput {
  /** The language of the tools' words. Default `en`. */
  readonly locale?: string
  /** Where those words come from. Default: the shipped ones. */
  readonly prompts?: readonly PromptSource[]
}

/**
 * The virtual context as a plugin (R11–R23): events that roll up, a workspace that forgets, pulled information, shortened answers,
 * and the tools of the context group. All it remembers is the session's state under {@link virtualContextName}; what takes time
 * is done by its jobs after turns and comes in with the next one. An unknown time zone throws `usage`.
 */
export function createVirtualContext(options: VirtualContextOptions = {}): Plugin {
  const { locale = "en", prompts = shippedPrompts(), ...input } = options
  const settings = virtualContextSettings(input)
  const words = Object.fromEntries(
    contextToolNames.map((name) => [name, toolWords(prompts, locale, name)]),
  ) as ContextToolParts["words"]
  return {
    name: virtualContextName,
    hooks: [virtualContextHook(settings, words)],
    jobs: [eventJob(settings), rollUpJob(settings), compressJob(settings)],
    variables: contextVariables(settings),
    mayAdd: (tool) => contextToolNames.some((name) => name === tool),
  }
}
