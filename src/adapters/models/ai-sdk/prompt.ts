import { checkOptions, checkType } from "../../../core/check-options.ts"
import { parsedJson, recordOf } from "../../../core/json-access.ts"
import type { Assembly, Message, MessagePart, ToolCall } from "../../../core/span.ts"
import { providerDataOf } from "../answer-parts.ts"
import { piecesOf, withGivenBytes, withResultParts } from "../message-pieces.ts"
import { type CacheMarks, cacheFormOf, cacheKeyOptions, cacheMarks } from "./cache-breakpoints.ts"
import {
  type AiSdkFilePart,
  type AiSdkMessage,
  type AiSdkModelName,
  type AiSdkReasoningPart,
  type AiSdkSystemMessage,
  type AiSdkTextPart,
  type AiSdkToolCallPart,
  type AiSdkToolResultPart,
  mergeProviderOptions,
  type ProviderData,
  type ProviderOptions,
} from "./provider-model.ts"

/** Options of {@link toPrompt}. */
interface PromptForm {
  readonly marks?: CacheMarks | undefined
  /** True for version 4 of the provider specification, in which the data of files is tagged. */
  readonly tagged?: boolean | undefined
  /** Whose data of earlier calls goes into the prompt. Default: anyone's. */
  readonly provider?: string | undefined
}

/**
 * Turns messages into the AI SDK's form. `developer` becomes `system`. Results of one step's calls share one tool message. A
 * message with a breakpoint inside becomes two text parts, or two system messages, since those cannot have parts. Messages of the user
 * that follow each other are joined, because some providers refuse a request in which roles do not alternate. Files of results, and those
 * that the model made, stand in a message of the user behind them: few providers take them where they were.
 */
export function toPrompt(messages: readonly Message[], { marks, tagged = false, provider }: PromptForm = {}): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  const toolNames = new Map<string, string>()
  let next = 0
  for (const message of withResultParts(messages)) {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name)
    const isAdded = message !== messages[next]
    const cuts = isAdded ? [] : cutsOf(marks, next++)
    const parts = textParts(message.content, cuts, marks)
    const last = prompt.at(-1)
    if (message.role === "tool") {
      const result = toolResult(message, toolNames, parts.at(-1))
      if (last?.role === "tool") last.content.push(result)
      else prompt.push({ role: "tool", content: [result] })
    } else if (message.role === "user") {
      const content = message.parts ? userParts(message, { cuts, marks, tagged }) : parts
      if (last?.role === "user") joinContent(last.content, content)
      else if (content.length > 0 || !isAdded) prompt.push({ role: "user", content })
    } else if (message.role === "assistant") {
      const own = message.toolCalls?.map((call) => ({ ...call, providerData: providerDataOf(call, provider) }))
      const [first, ...others] = own ?? []
      const said = withTextData(parts, first).filter((part) => part.text !== "" || first === undefined)
      const calls = others.flatMap((call) => [...thoughtsBefore(call), toolCall(call)])
      const content = first ? [...thoughtsBefore(first), ...said, toolCall(first), ...calls] : said
      prompt.push({ role: "assistant", content })
    } else {
      prompt.push(...parts.map(({ type: _, text, ...options }) => ({ role: "system" as const, content: text, ...options })))
    }
  }
  return prompt
}

type UserPart = AiSdkTextPart | AiSdkFilePart

/** Adds a message of the user to the one before it, with a blank line between their texts. A text that ends at a breakpoint stays as it is. */
function joinContent(content: UserPart[], [first, ...others]: readonly UserPart[]): void {
  const last = content.at(-1)
  if (last?.type === "text" && first?.type === "text" && last.providerOptions === undefined)
    content[content.length - 1] = { ...first, text: `${last.text}\n\n${first.text}` }
  else if (first) content.push(first)
  content.push(...others)
}

/** The texts of a message between its files, and the files. Providers refuse blank texts. */
function userParts(
  { content, parts }: Message,
  { cuts, marks, tagged }: PromptForm & { readonly cuts: readonly number[] },
): UserPart[] {
  return piecesOf(content, parts).flatMap((piece): UserPart[] => {
    if (!("text" in piece)) return filePart(piece, tagged)
    const { text, from } = piece
    const inside = cuts.filter((cut) => cut > from && cut <= from + text.length).map((cut) => cut - from)
    return textParts(text, inside, marks)
  })
}

/** Nothing for a file of which neither bytes nor a URL are there, as in an assembly. */
function filePart({ attachment, bytes }: MessagePart, tagged = false): AiSdkFilePart[] {
  const { name, mediaType = "application/octet-stream", url } = attachment
  const part = { type: "file", filename: name.toWellFormed(), mediaType } as const
  if (bytes) return [{ ...part, data: (tagged ? { type: "data", data: bytes } : bytes) as never }]
  if (url === undefined) return []
  return [{ ...part, data: (tagged ? { type: "url", url: new URL(url) } : new URL(url)) as never }]
}

function cutsOf(marks: CacheMarks | undefined, message: number): readonly number[] {
  return marks?.breakpoints.filter((breakpoint) => breakpoint.message === message).map(({ end }) => end) ?? []
}

function textParts(content: string, cuts: readonly number[], marks: CacheMarks | undefined): AiSdkTextPart[] {
  // UTF-8 cannot hold half a surrogate pair.
  const text = content.toWellFormed()
  if (marks === undefined) return [{ type: "text", text }]
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
    const isInsidePair = asked > 0 && (text.codePointAt(asked - 1) ?? 0) > 0xffff
    const cut = isInsidePair ? asked - 1 : asked
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

/** Providers take arguments only as an object. Arguments that are not JSON become an empty one. */
function toolCall({ id, name, args, providerData }: ToolCall): AiSdkToolCallPart {
  const { options } = recordOf(providerData) as Partial<ProviderData>
  const call = { type: "tool-call" as const, toolCallId: id, toolName: name, input: recordOf(parsedJson(args)) }
  return options ? { ...call, providerOptions: options } : call
}

/** Providers check the signatures of the thoughts that led to a call. Data of another adapter has none, and some thoughts none either. */
function thoughtsBefore({ providerData }: ToolCall): AiSdkReasoningPart[] {
  const { thoughts = [] } = recordOf(providerData) as Partial<ProviderData>
  return thoughts.map(({ text, options }) => ({ type: "reasoning", text, ...(options && { providerOptions: options }) }))
}

/** The parts of a text with the provider's data on it, which the step's first call keeps. Marks of a cache stay. */
function withTextData(parts: readonly AiSdkTextPart[], first: ToolCall | undefined): readonly AiSdkTextPart[] {
  const { text } = recordOf(first?.providerData) as Partial<ProviderData>
  if (text === undefined) return parts
  const last = parts.length - 1
  return parts.map((part, at) =>
    at === last ? { ...part, providerOptions: mergeProviderOptions(text, part.providerOptions ?? {}) } : part,
  )
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
  /** The bytes of pictures and files without a URL, by their ids in the store. */
  readonly bytes?: ReadonlyMap<string, Uint8Array>
}

/**
 * Returns an assembly as the prompt of the package `ai`, version 7. Spread it into `streamText`, or pass its `messages` to a
 * call of a `ToolLoopAgent` and the rest to the agent. Order and roles stay, except that `developer` becomes `system`. Throws `usage`
 * for an unknown option, and for a picture or file without a URL whose bytes are not among `bytes`.
 */
export function toAiSdkPrompt(assembly: Assembly, options: AiSdkPromptOptions = {}): AiSdkPrompt {
  checkType("assembly.messages of toAiSdkPrompt", assembly?.messages, "list")
  checkOptions("toAiSdkPrompt", options, "model bytes")
  const { model, bytes } = options
  const cacheForm = model && cacheFormOf(model, true)
  const marks = cacheMarks({ assembly, messages: assembly.messages }, { cacheForm, providerOptions: {} })
  const providerOptions = cacheKeyOptions(assembly, cacheForm)
  const { system, rest } = splitSystem(toPrompt(withGivenBytes(assembly.messages, "toAiSdkPrompt", bytes), { marks }))
  const instructions = system.filter((message) => message.role === "system")
  // The AI SDK refuses an empty list of messages. If there are only system messages, the last one stays in the list.
  const last = rest.length === 0 ? instructions.pop() : undefined
  const messages = last === undefined ? rest : [last]
  return {
    ...(instructions.length > 0 && { instructions }),
    messages,
    ...(messages.some(({ role }) => role === "system") && { allowSystemInMessages: true as const }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}
