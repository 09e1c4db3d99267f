import type { OpenAI } from "openai"
import type { Assembly } from "../../core/span.ts"
import { wireMessage } from "./request-body.ts"

/**
 * An assembly as the `messages` of the package `openai`'s chat completions. Roles are those of the assembly: a developer
 * message is there only where `assemble` was told that the model has the role.
 */
export function toOpenaiMessages(assembly: Pick<Assembly, "messages">): OpenAI.Chat.Completions.ChatCompletionMessageParam[] {
  return assembly.messages.map((message) => wireMessage(message, { developerRole: true }))
}
