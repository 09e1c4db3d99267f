import { messageOf } from "../../../core/errors.ts"
import { isRecord, listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import {
  endedWhole,
  type FinishReason,
  type ModelPart,
  type ModelReport,
  type Usage,
} from "../../../core/model/language-model.ts"
import type { ToolCall } from "../../../core/span.ts"
import { bytesToText } from "../../../memory/services/store/blob.ts"
import {
  argumentsText,
  createAnswerReader,
  type Finish,
  finishOf,
  linkedFile,
  type StreamReader,
  unfinished,
} from "../answer-parts.ts"
import type { ProviderData, ProviderOptions } from "./provider-model.ts"

type WirePart = Readonly<Record<string, unknown>>

/**
 * Makes a reader for the parts of one `doStream`, except errors. It has begun with text, thinking, a file or a tool call. `push` returns text, thinking and warnings at once. `end` returns the tool calls, the last
 * usage report and exactly one finish. `model` is the name that was asked for: another one that served it is told.
 */
export function createPartReader(provider?: string, model?: string): StreamReader<WirePart> {
  const answer = createAnswerReader(provider)
  const toolCalls = createToolCallReader(wantsThoughts.test(provider ?? ""))
  let begun = false
  return {
    finished: () => answer.finish !== undefined && answer.finish !== unfinished,
    begun: () => begun,
    push(part) {
      switch (part.type) {
        case "text-start":
          toolCalls.say(part)
          return []
        case "text-delta":
          begun = true
          toolCalls.say(part)
          return answer.text.push(part.delta)
        case "text-end":
          toolCalls.say(part)
          return answer.text.end()
        case "reasoning-start":
          toolCalls.think(part)
          return []
        case "reasoning-delta":
          begun = true
          toolCalls.think(part)
          return answer.thinking.push(part.delta)
        case "reasoning-end":
          toolCalls.think(part)
          return answer.thinking.end()
        case "finish":
          answer.count(countsIn(part))
          answer.report = { ...answer.report, ...tierIn(part) }
          answer.finish ??= readFinish(part.finishReason)
          return []
        case "response-metadata":
          if (typeof part.modelId === "string" && part.modelId !== (model ?? part.modelId))
            answer.report = { ...answer.report, model: part.modelId }
          return []
        case "source":
          if (typeof part.url === "string")
            answer.report = { ...answer.report, citations: [...new Set([...(answer.report.citations ?? []), part.url])] }
          return []
        case "file":
          begun = true
          return [...answer.text.end(), readFile(part)]
        default:
          begun = toolCalls.push(part) || begun
          return warningsIn(part).map((message) => ({ type: "warning", message }))
      }
    },
    end() {
      if (toolCalls.isCut() && endedWhole(answer.finish?.reason)) answer.finish = brokenOff
      return answer.end(toolCalls.calls())
    },
  }
}

/** The finish of a stream in which the input of a call did not end, whatever the provider says. */
const brokenOff: Finish = { reason: "other", warning: "The arguments of a tool call broke off." }

/** Returns the warnings for a part that cannot be shown as text, and the provider's own warnings. */
function warningsIn({ type, warnings }: WirePart): string[] {
  if (type === "reasoning-file") return ["The model made a file in its thoughts, which was left out."]
  if (type === "tool-approval-request") return ["The provider asked whether it may run a tool of its own. It got no answer."]
  return type === "stream-start" ? listOf(warnings).map(warningText) : []
}

/** Reads a file: its data stands by itself in specification v2 and v3, and is tagged in v4. */
function readFile({ mediaType, data }: WirePart): ModelPart {
  const { url, data: tagged = data } = recordOf(data)
  if (url !== undefined) return linkedFile(String(url))
  const base64 = tagged instanceof Uint8Array ? bytesToText(tagged) : stringOf(tagged)
  if (base64 === "") return { type: "warning", message: "The model made a file without data, which was left out." }
  return { type: "file", mediaType: stringOf(mediaType), base64 }
}

/** Reads a provider's warning of specification v2, v3 or v4. */
function warningText(warning: unknown): string {
  const { type, feature, setting, tool, details, message } = recordOf(warning)
  const what = stringOf(feature) || stringOf(setting) || stringOf(recordOf(tool).name)
  const why = stringOf(details) || stringOf(message)
  if (what === "") return why || messageOf(warning)
  const headline = `${what} ${type === "deprecated" ? "is deprecated" : type === "compatibility" ? "is emulated" : "is not supported"}`
  return why === "" ? `${headline}.` : `${headline}: ${why}`
}

const finishReasons: ReadonlySet<string> = new Set<FinishReason>(["stop", "length", "tool-calls", "content-filter"])

/** Reads a finish reason of specification v2 (a word) or of v3 and v4 (a word and the provider's own). */
function readFinish(wire: unknown): Finish {
  const { unified, raw } = recordOf(wire)
  const word = stringOf(unified) || stringOf(wire)
  if (word === "error") return finishOf(word)
  // A stream that just ended is `interrupted` in v4, `other` without the provider's own word in v3, and `unknown` in v2.
  const isCutOff = word === "" || word === "interrupted" || word === "unknown" || (unified === "other" && raw === undefined)
  if (isCutOff) return unfinished
  // The provider may not know its server's word.
  if (!finishReasons.has(word)) return finishOf((stringOf(raw) || word).toLowerCase())
  return { reason: word as FinishReason }
}

/** The counts of a finish as they are: of specification v2 (flat) or v3 and v4 (nested). */
function countsIn(finish: WirePart): { readonly [K in keyof Usage]: unknown } {
  const { inputTokens: input, outputTokens: output, ...flat } = recordOf(finish.usage)
  const nested = { input: recordOf(input), output: recordOf(output) }
  return {
    costUsd: ownWords(finish).find(({ cost }) => typeof cost === "number")?.cost,
    inputTokens: isRecord(input) ? input.total : input,
    inputCacheReadTokens: flat.cachedInputTokens ?? nested.input.cacheRead,
    inputCacheWriteTokens: nested.input.cacheWrite,
    outputTokens: isRecord(output) ? output.total : output,
    reasoningTokens: flat.reasoningTokens ?? nested.output.reasoning,
  }
}

/** The server's own report behind a finish, and what its package tells of it. */
function ownWords({ usage, providerMetadata }: WirePart): Readonly<Record<string, unknown>>[] {
  const told = Object.values(recordOf(providerMetadata)).map(recordOf)
  return [recordOf(recordOf(usage).raw), ...told, ...told.map((data) => recordOf(data.usage))]
}

function tierIn(finish: WirePart): ModelReport {
  const tiers = ownWords(finish).map(({ serviceTier, service_tier = serviceTier }) => stringOf(service_tier))
  const serviceTier = tiers.find((tier) => tier !== "")
  return serviceTier === undefined ? {} : { serviceTier }
}

interface OpenCall {
  readonly id: string
  name: string
  readonly deltas: string[]
  /** The whole input, once it is known. */
  input?: string
  /** True when the deltas are the bare text of a string instead of JSON. */
  isText: boolean
  /** True when the provider runs the call itself. */
  isProviders: boolean
  options: ProviderOptions | undefined
  /** Thoughts since the call before. */
  readonly thoughts: readonly Thought[]
}

/** Providers that want each thought back, and in later turns too. Others want those with data of theirs, while the turn goes on. */
const wantsThoughts = /deepseek|moonshot|kimi|minimax|openrouter/

/** A thought with the provider's data, such as its signature. */
interface Thought {
  readonly id: string
  text: string
  options: ProviderOptions | undefined
}

/**
 * Collects tool calls from `tool-input-start`, `-delta`, `-end` and `tool-call` parts, which may be interleaved. The last input
 * of a call counts. A call whose input broke off has what came of it, so that the model can be told. A call that the provider
 * runs itself is left out.
 */
function createToolCallReader(wantsThoughts: boolean) {
  const opened = new Map<string, OpenCall>()
  let thoughts: Thought[] = []
  let text: ProviderOptions | undefined
  return {
    /** Takes the data of a part of the text. The last data counts. */
    say(part: WirePart): void {
      text = optionsOf(part) ?? text
    },
    /** Takes a part of a thought. The last data of a thought counts. */
    think(part: WirePart): void {
      const id = stringOf(part.id)
      let thought = thoughts.find((known) => known.id === id)
      if (!thought || (part.type === "reasoning-start" && thought.text !== "")) {
        thought = { id, text: "", options: undefined }
        thoughts.push(thought)
      }
      thought.text += stringOf(part.delta)
      thought.options = optionsOf(part) ?? thought.options
    },
    /** True for a part of a tool call. */
    push(part: WirePart): boolean {
      if (!callParts.has(part.type)) return false
      const known = opened.size
      const call = openCall(opened, part, thoughts)
      if (opened.size > known) thoughts = []
      call.options = optionsOf(part) ?? call.options
      if (part.type === "tool-input-start") call.isText = part.inputEncoding === "text"
      else if (part.type === "tool-input-delta") call.deltas.push(stringOf(part.delta))
      else if (part.type === "tool-input-end")
        call.input = call.isText ? JSON.stringify(call.deltas.join("")) : call.deltas.join("")
      else call.input = argumentsText(part.input)
      call.name = stringOf(part.toolName) || call.name
      call.isProviders ||= part.providerExecuted === true
      return true
    },
    /** True if the input of a call did not come whole. */
    isCut: () => [...opened.values()].some(({ input, isProviders }) => input === undefined && !isProviders),
    /** Every call in order of appearance. */
    calls: (): ToolCall[] => {
      const own = [...opened.values()].filter(({ isProviders }) => !isProviders)
      return own.map(({ id, name, input, deltas, options, thoughts: before }, at) => {
        const signed = before.flatMap(({ text, options: given }) =>
          given || (wantsThoughts && text !== "") ? [{ text, options: given }] : [],
        )
        const ofText = at === 0 ? text : undefined
        const hasData = options !== undefined || signed.length > 0 || ofText !== undefined
        const providerData: ProviderData | undefined = hasData
          ? { options, thoughts: signed, text: ofText, ...(!wantsThoughts && { turnOnly: true }) }
          : undefined
        const streamed = deltas.join("")
        // A provider may write {} for arguments that never came.
        const args = input?.trim() === "{}" && streamed.trim() === "" ? "" : (input ?? streamed)
        return { id, name, args, providerData }
      })
    },
  }
}

const callParts: ReadonlySet<unknown> = new Set(["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call"])

/** The provider's data of a part, which goes back as options of the same name. */
function optionsOf({ providerMetadata }: WirePart): ProviderOptions | undefined {
  return isRecord(providerMetadata) ? (providerMetadata as ProviderOptions) : undefined
}

function openCall(opened: Map<string, OpenCall>, part: WirePart, thoughts: readonly Thought[]): OpenCall {
  const id = stringOf(part.type === "tool-call" ? part.toolCallId : part.id)
  // A call without an id comes in one part, so that each such part is another call.
  const key = id === "" && part.type === "tool-call" ? `#${opened.size}` : id
  const call = opened.get(key) ?? { id, name: "", deltas: [], isText: false, isProviders: false, options: undefined, thoughts }
  opened.set(key, call)
  return call
}
