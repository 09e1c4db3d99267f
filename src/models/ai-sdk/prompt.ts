import type { Message, ToolCall } from "../../core/message.ts"
import { recordOf } from "../openai/json-access.ts"
import type { Breakpoint } from "./cache-breakpoints.ts"
import type { AiSdkMessage, AiSdkTextPart, AiSdkToolResultPart } from "./message.ts"
import type { ProviderOptions } from "./provider-options.ts"
import { splitText } from "./split-text.ts"

/** Marks on the parts that end at a breakpoint. */
export interface PromptMarks {
  readonly breakpoints: readonly Breakpoint[]
  readonly marker: ProviderOptions
}

/**
 * Messages in the AI SDK's form. `developer` becomes `system`; results of one step's calls share one tool message; a message
 * with a breakpoint inside becomes two text parts, or two system messages, whose texts cannot be parts.
 */
export function toPrompt(messages: readonly Message[], marks?: PromptMarks): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  const toolNames = new Map<string, string>()
  for (const [at, message] of messages.entries()) {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name)
    const parts = textParts(message.content, at, marks)
    const last = prompt.at(-1)
    if (message.role === "tool") {
      const result = toolResult(message, { toolNames, part: parts.at(-1) })
      if (last?.role === "tool") last.content.push(result)
      else prompt.push({ role: "tool", content: [result] })
    } else if (message.role === "user") {
      prompt.push({ role: "user", content: parts })
    } else if (message.role === "assistant") {
      const calls = (message.toolCalls ?? []).map(toolCall)
      const said = parts.filter((part) => part.text !== "" || calls.length === 0)
      prompt.push({ role: "assistant", content: [...said, ...calls] })
    } else {
      prompt.push(...parts.map(({ text, ...options }) => ({ role: "system" as const, content: text, ...withoutType(options) })))
    }
  }
  return prompt
}

function textParts(content: string, message: number, marks: PromptMarks | undefined): AiSdkTextPart[] {
  // Half surrogate pairs cannot be written in UTF-8.
  const text = content.toWellFormed()
  if (marks === undefined) return [{ type: "text", text }]
  const cuts = marks.breakpoints.filter((breakpoint) => breakpoint.message === message).map(({ end }) => end)
  return splitText(text, cuts).map((piece) => ({
    type: "text",
    text: piece.text,
    ...(piece.endsAtCut && { providerOptions: marks.marker }),
  }))
}

function withoutType({ providerOptions }: Pick<AiSdkTextPart, "providerOptions">): { providerOptions?: ProviderOptions } {
  return providerOptions === undefined ? {} : { providerOptions }
}

function toolCall({ id, name, args }: ToolCall) {
  return { type: "tool-call" as const, toolCallId: id, toolName: name, input: parsedArguments(args) }
}

/** Providers take arguments as an object only; what a model wrote and nobody can read is shown to it as none. */
function parsedArguments(args: string): unknown {
  try {
    return recordOf(JSON.parse(args))
  } catch {
    return {}
  }
}

function toolResult(
  { toolCallId = "", content }: Message,
  { toolNames, part }: { readonly toolNames: ReadonlyMap<string, string>; readonly part: AiSdkTextPart | undefined },
): AiSdkToolResultPart {
  return {
    type: "tool-result",
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? "unknown",
    output: { type: "text", value: content.toWellFormed() },
    ...withoutType(part ?? {}),
  }
}
