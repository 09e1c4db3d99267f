import { countOf, listOf, recordOf, stringOf } from "../../core/json-access.ts"
import type { Reader } from "../../core/reader.ts"
import type { FinishReason, ModelPart, Usage } from "../../model/language-model.ts"
import { argumentsText, createAnswerReader, type StreamedCall, usageOf } from "../answer-parts.ts"

/** Reads the chunks of one streamed chat completion. */
export interface ChunkReader extends Reader<unknown, ModelPart> {
  /** True once the server has given a finish reason. The answer is complete then, even if the connection breaks. */
  finished(): boolean
}

/**
 * Makes a reader for one answer. `push` returns text and thinking at once. `end` returns the tool calls, the last usage
 * report and exactly one finish. A stream without a finish reason finishes as `other`, with a warning.
 */
export function createChunkReader(): ChunkReader {
  const answer = createAnswerReader()
  const toolCalls = createToolCallAssembler()
  return {
    finished: () => answer.finish !== undefined,
    push(chunk) {
      const choice = firstChoice(chunk)
      const delta = recordOf(choice.delta)
      const content = readContent(delta)
      answer.usage = readUsage(recordOf(chunk).usage) ?? readUsage(choice.usage) ?? answer.usage
      for (const call of listOf(delta.tool_calls)) toolCalls.push(call)
      const reason = stringOf(choice.finish_reason)
      if (reason !== "") answer.finish ??= { reason: finishReasons.get(reason.toLowerCase()) ?? "other" }
      return [...answer.thinking.push(content.reasoning), ...answer.text.push(content.text)]
    },
    end: () => answer.end(toolCalls.calls()),
  }
}

/** Returns the only choice that was requested. A chunk without one holds usage or a heartbeat. */
function firstChoice(chunk: unknown): Readonly<Record<string, unknown>> {
  const choices = listOf(recordOf(chunk).choices).map(recordOf)
  return choices.find((choice) => choice.index === 0 || choice.index === undefined) ?? {}
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
])

/** Reads text as a string or as typed parts (Mistral), a refusal's text, and reasoning under either of its two names. */
function readContent(delta: Readonly<Record<string, unknown>>): { readonly text: string; readonly reasoning: string } {
  // vLLM sends the same reasoning under both names.
  const reasoning = stringOf(delta.reasoning_content) || stringOf(delta.reasoning)
  const text = stringOf(delta.content) + stringOf(delta.refusal)
  const parts = listOf(delta.content).map(recordOf)
  return {
    text: text + parts.map((part) => stringOf(part.text)).join(""),
    reasoning: reasoning + parts.map((part) => thinkingText(part.thinking)).join(""),
  }
}

function thinkingText(thinking: unknown): string {
  if (typeof thinking === "string") return thinking
  return listOf(thinking)
    .map((part) => stringOf(recordOf(part).text))
    .join("")
}

/** Reads a usage report. Returns `undefined` when it holds no known count. */
function readUsage(wire: unknown): Usage | undefined {
  const report = recordOf(wire)
  const input = recordOf(report.prompt_tokens_details)
  return usageOf({
    inputTokens: countOf(report.prompt_tokens),
    // DeepSeek and Moonshot had their own fields for cached input.
    inputCacheReadTokens:
      countOf(input.cached_tokens) ?? countOf(report.prompt_cache_hit_tokens) ?? countOf(report.cached_tokens),
    inputCacheWriteTokens: countOf(input.cache_write_tokens),
    outputTokens: countOf(report.completion_tokens),
    reasoningTokens: countOf(recordOf(report.completion_tokens_details).reasoning_tokens),
  })
}

interface OpenCall {
  id: string
  name: string
  readonly args: string[]
}

/** Joins tool calls whose deltas may be split anywhere and interleaved. */
function createToolCallAssembler() {
  const opened: OpenCall[] = []
  const byIndex = new Map<unknown, OpenCall>()
  return {
    push(delta: unknown): void {
      const wire = recordOf(delta)
      const fn = recordOf(wire.function)
      const id = stringOf(wire.id)
      const name = stringOf(fn.name)
      const known = byIndex.get(wire.index)
      const call = known && !beginsAnother(known, { id, name }) ? known : { id, name: "", args: [] }
      if (call !== known) {
        opened.push(call)
        byIndex.set(wire.index, call)
      }
      call.id ||= id
      // Some servers repeat the whole name with each delta, some send it in pieces.
      if (name !== call.name) call.name += name
      call.args.push(argumentsText(fn.arguments))
    },
    /** Every call in order of appearance. */
    calls: (): StreamedCall[] => opened.map(({ id, name, args }) => ({ id, name, args: args.join("") })),
  }
}

/** Some servers give every call the index 0. A new id together with a name then begins another call. */
function beginsAnother(call: OpenCall, next: { readonly id: string; readonly name: string }): boolean {
  return next.id !== "" && next.name !== "" && call.id !== "" && next.id !== call.id
}
