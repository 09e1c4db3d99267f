import type { Message, ToolCall } from "../../core/message.ts"
import { parsedJson, recordOf } from "../json-access.ts"
import type { CacheMarks } from "./cache-breakpoints.ts"
import type { AiSdkMessage, AiSdkTextPart, AiSdkToolResultPart } from "./provider-model.ts"

/**
 * Turns messages into the AI SDK's form. `developer` becomes `system`. Results of one step's calls share one tool message. A
 * message with a breakpoint inside becomes two text parts, or two system messages, since those cannot have parts.
 */
export function toPrompt(messages: readonly Message[], marks?: CacheMarks): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  const toolNames = new Map<string, string>()
  for (const [at, message] of messages.entries()) {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name)
    const parts = textParts(message.content, at, marks)
    const last = prompt.at(-1)
    if (message.role === "tool") {
      const result = toolResult(message, toolNames, parts.at(-1))
      if (last?.role === "tool") last.content.push(result)
      else prompt.push({ role: "tool", content: [result] })
    } else if (message.role === "user") {
      prompt.push({ role: "user", content: parts })
    } else if (message.role === "assistant") {
      const calls = (message.toolCalls ?? []).map(toolCall)
      const said = parts.filter((part) => part.text !== "" || calls.length === 0)
      prompt.push({ role: "assistant", content: [...said, ...calls] })
    } else {
      prompt.push(...parts.map(({ type: _, text, ...options }) => ({ role: "system" as const, content: text, ...options })))
    }
  }
  return prompt
}

function textParts(content: string, message: number, marks: CacheMarks | undefined): AiSdkTextPart[] {
  // UTF-8 cannot hold half a surrogate pair.
  const text = content.toWellFormed()
  if (marks === undefined) return [{ type: "text", text }]
  const cuts = marks.breakpoints.filter((breakpoint) => breakpoint.message === message).map(({ end }) => end)
  return splitText(text, cuts).map((piece) => ({
    type: "text",
    text: piece.text,
    ...(piece.endsAtCut && { providerOptions: marks.marker }),
  }))
}

/** A piece of a message's text. */
interface TextPiece {
  text: string
  /** True when a cut was asked for at the end of the piece. */
  endsAtCut: boolean
}

/**
 * Splits a text at ascending offsets. Joined, the pieces are the text. No piece is blank, since providers refuse blank parts. A
 * cut inside a surrogate pair moves before it, and a cut without visible text before it is dropped.
 */
export function splitText(text: string, cuts: readonly number[]): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const asked of cuts) {
    const cut = isInsideSurrogatePair(text, asked) ? asked - 1 : asked
    const head = text.slice(from, cut)
    const last = pieces.at(-1)
    if (head.trim() !== "") {
      pieces.push({ text: head, endsAtCut: true })
      from = cut
    } else if (last) last.endsAtCut = true
  }
  const rest = text.slice(from)
  const last = pieces.at(-1)
  if (last && rest.trim() === "") last.text += rest
  else pieces.push({ text: rest, endsAtCut: false })
  return pieces
}

function isInsideSurrogatePair(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff
}

/** Providers take arguments only as an object. Arguments that are not JSON become an empty one. */
function toolCall({ id, name, args }: ToolCall) {
  return { type: "tool-call" as const, toolCallId: id, toolName: name, input: recordOf(parsedJson(args)) }
}

function toolResult(
  { toolCallId = "", content }: Message,
  toolNames: ReadonlyMap<string, string>,
  part: AiSdkTextPart | undefined,
): AiSdkToolResultPart {
  return {
    type: "tool-result",
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? "unknown",
    output: { type: "text", value: content.toWellFormed() },
    ...(part?.providerOptions && { providerOptions: part.providerOptions }),
  }
}

/** Splits messages after the system messages at their beginning. */
export function splitSystem<M extends { role: string }>(messages: readonly M[]): { system: M[]; rest: M[] } {
  const first = messages.findIndex(({ role }) => role !== "system")
  const at = first === -1 ? messages.length : first
  return { system: messages.slice(0, at), rest: messages.slice(at) }
}
