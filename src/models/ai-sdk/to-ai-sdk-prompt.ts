import type { Assembly } from "../../core/span.ts"
import { cacheFormOf } from "./cache-form.ts"
import { keyOptions, marksOf } from "./call-options.ts"
import type { AiSdkMessage, AiSdkSystemMessage } from "./message.ts"
import { toPrompt } from "./prompt.ts"
import type { AiSdkModelName } from "./provider-model.ts"
import type { ProviderOptions } from "./provider-options.ts"
import { splitSystem } from "./split-system.ts"

/** Options for `streamText`, `generateText` and `ToolLoopAgent`, to be spread into theirs. */
export interface AiSdkPrompt {
  /** The system messages that the request begins with. */
  instructions?: AiSdkSystemMessage[]
  messages: AiSdkMessage[]
  /** Set where `messages` hold a system message, which the AI SDK refuses without it: an assembly's are the author's. */
  allowSystemInMessages?: true
  /** Set for a model whose provider wants to hear which requests share a prefix. */
  providerOptions?: ProviderOptions
}

/** Options of {@link toAiSdkPrompt}. */
export interface AiSdkPromptOptions {
  /** The model it is for: cache breakpoints are set in its provider's form. Without it there are none. */
  readonly model?: AiSdkModelName
}

/**
 * An assembly as the prompt of the package `ai`, version 7: spread it into `streamText`, or its `messages` into a call of a
 * `ToolLoopAgent` and the rest into the agent. Order and roles stay; `developer` becomes `system`.
 */
export function toAiSdkPrompt(assembly: Assembly, { model }: AiSdkPromptOptions = {}): AiSdkPrompt {
  const cacheForm = model && cacheFormOf(model, true)
  const prompt = toPrompt(
    assembly.messages,
    marksOf({ assembly, messages: assembly.messages }, { cacheForm, providerOptions: {} }),
  )
  const providerOptions = keyOptions({ assembly }, { cacheForm })
  const { instructions, messages } = splitInstructions(prompt)
  return {
    ...(instructions.length > 0 && { instructions }),
    messages,
    ...(messages.some(({ role }) => role === "system") && { allowSystemInMessages: true as const }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

/** The AI SDK refuses an empty list of messages: of a prompt of system messages alone, the last stays in it. */
function splitInstructions(prompt: readonly AiSdkMessage[]): { instructions: AiSdkSystemMessage[]; messages: AiSdkMessage[] } {
  const { system, rest } = splitSystem(prompt)
  const instructions = system.filter((message) => message.role === "system")
  const last = rest.length === 0 ? instructions.pop() : undefined
  return { instructions, messages: last === undefined ? rest : [last] }
}
