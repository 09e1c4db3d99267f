import type { Reader } from "../../core/reader.ts"
import type { FinishReason, ModelPart } from "../../model/model-part.ts"
import type { Usage } from "../../model/usage.ts"
import { readContent } from "./content.ts"
import { readFinishReason } from "./finish-reason.ts"
import { listOf, recordOf, stringOf } from "./json-access.ts"
import { createToolCallAssembler } from "./tool-call-assembler.ts"
import { readUsage } from "./usage.ts"
import { createWholeCharacters } from "./whole-characters.ts"

/** Reads the chunks of one streamed chat completion. */
export interface ChunkReader extends Reader<unknown, ModelPart> {
  /** True once the server has said why it stopped: what is lost after that is no loss. */
  finished(): boolean
}

/**
 * Text and reasoning come out as they arrive; tool calls whole, usage once (the last report counts) and exactly one
 * finish come out of `end`. A stream that never said why it stopped finishes as `other`, with a warning.
 */
export function createChunkReader(): ChunkReader {
  const text = createWholeCharacters()
  const reasoning = createWholeCharacters()
  const toolCalls = createToolCallAssembler()
  let usage: Usage | undefined
  let reason: FinishReason | undefined
  return {
    finished: () => reason !== undefined,
    push(chunk) {
      const choice = firstChoice(chunk)
      const delta = recordOf(choice.delta)
      const content = readContent(delta)
      usage = readUsage(recordOf(chunk).usage) ?? readUsage(choice.usage) ?? usage
      for (const call of listOf(delta.tool_calls)) toolCalls.push(call)
      const word = stringOf(choice.finish_reason)
      if (word !== "") reason ??= readFinishReason(word)
      return [
        ...reasoning.push(content.reasoning).map((piece) => ({ type: "reasoning-delta" as const, delta: piece })),
        ...text.push(content.text).map((piece) => ({ type: "text-delta" as const, delta: piece })),
      ]
    },
    end() {
      const { calls, nameless } = toolCalls.end()
      const parts: ModelPart[] = [
        ...reasoning.end().map((delta) => ({ type: "reasoning-delta" as const, delta })),
        ...text.end().map((delta) => ({ type: "text-delta" as const, delta })),
        ...calls.map((call) => ({ type: "tool-call" as const, call })),
      ]
      if (usage) parts.push({ type: "usage", usage })
      if (nameless > 0) parts.push({ type: "warning", message: `${nameless} tool call(s) without a name were left out.` })
      if (reason === undefined) parts.push({ type: "warning", message: "The stream ended without a finish reason." })
      parts.push({ type: "finish", reason: reason ?? "other" })
      return parts
    },
  }
}

/** The only choice that was asked for; servers that send none send usage or a heartbeat. */
function firstChoice(chunk: unknown): Readonly<Record<string, unknown>> {
  const choices = listOf(recordOf(chunk).choices).map(recordOf)
  return choices.find((choice) => choice.index === 0 || choice.index === undefined) ?? {}
}
