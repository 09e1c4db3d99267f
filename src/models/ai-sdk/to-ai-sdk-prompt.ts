import type { Assembly } from "../../core/span.ts"
import { cacheFormOf, cacheKeyOptions, cacheMarks } from "./cache-breakpoints.ts"
import { splitSystem, toPrompt } from "./prompt.ts"
import type { AiSdkMessage, AiSdkModelName, AiSdkSystemMessage, ProviderOptions } from "./provider-model.ts"

/** Options to spread into those of `streamText`, `generateText` or `ToolLoopAgent`. */
export interface AiSdkPrompt {
  /** The system messages at the beginning of the request. */
  instructions?: AiSdkSystemMessage[]
  messages: AiSdkMessage[]
  /** Set when `messages` hold a system message, which the AI SDK refuses otherwise. Those of an assembly are the author's. */
  allowSystemInMessages?: true
  /** Set for a model whose provider wants the name of the shared prefix. */
  providerOptions?: ProviderOptions
}

/** Options of {@link toAiSdkPrompt}. */
export interface AiSdkPromptOptions {
  /** The model that the prompt is for. Cache breakpoints are set in its provider's form; without a model there are none. */
  readonly model?: AiSdkModelName
}

/**
 * Returns an assembly as the prompt of the package `ai`, version 7. Spread it into `streamText`, or pass its `messages` to a
 * call of a `ToolLoopAgent` and the rest to the agent. Order and roles stay, except that `developer` becomes `system`.
 */
export function toAiSdkPrompt(assembly: Assembly, { model }: AiSdkPromptOptions = {}): AiSdkPrompt {
  const cacheForm = model && cacheFormOf(model, true)
  const marks = cacheMarks({ assembly, messages: assembly.messages }, { cacheForm, providerOptions: {} })
  const providerOptions = cacheKeyOptions(assembly, cacheForm)
  const { instructions, messages } = splitInstructions(toPrompt(assembly.messages, marks))
  return {
    ...(instructions.length > 0 && { instructions }),
    messages,
    ...(messages.some(({ role }) => role === "system") && { allowSystemInMessages: true as const }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

/** The AI SDK refuses an empty list of messages. If there are only system messages, the last one stays in the list. */
function splitInstructions(prompt: readonly AiSdkMessage[]): { instructions: AiSdkSystemMessage[]; messages: AiSdkMessage[] } {
  const { system, rest } = splitSystem(prompt)
  const instructions = system.filter((message) => message.role === "system")
  const last = rest.length === 0 ? instructions.pop() : undefined
  return { instructions, messages: last === undefined ? rest : [last] }
}
