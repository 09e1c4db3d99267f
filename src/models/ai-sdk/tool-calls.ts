import type { ToolCall } from "../../core/message.ts"
import type { Reader } from "../../core/reader.ts"
import type { ModelPart } from "../../model/model-part.ts"
import { stringOf } from "../openai/json-access.ts"

interface Collected {
  readonly id: string
  name: string
  readonly deltas: string[]
  /** The whole input, once it is known. */
  input?: string
  /** The deltas are the bare text of a string, not JSON. */
  isText: boolean
  /** Run by the provider itself: nobody here is asked. */
  isForeign: boolean
}

/** Collects the tool calls of one answer, whose parts may be interleaved. */
export interface ToolCalls extends Pick<Reader<never, ModelPart>, "end"> {
  /** True for a part of a tool call. */
  push(part: Readonly<Record<string, unknown>>): boolean
}

/**
 * Whole tool calls from `tool-input-start`, `-delta`, `-end` and `tool-call` parts, in order of appearance; the last one's
 * input counts, and input that broke off is no call. A call without an id gets `call_1`, `call_2`, …; blank arguments are
 * `{}`; calls without a name are a warning.
 */
export function createToolCalls(): ToolCalls {
  const collected = new Map<string, Collected>()
  return {
    push(part) {
      if (typeof part.type !== "string" || !part.type.startsWith("tool-")) return false
      const call = callOf(collected, part)
      if (part.type === "tool-input-start") call.isText = part.inputEncoding === "text"
      else if (part.type === "tool-input-delta") call.deltas.push(stringOf(part.delta))
      else if (part.type === "tool-input-end") call.input = joinedInput(call)
      else if (part.type === "tool-call") call.input = inputText(part.input)
      else return false
      call.name = stringOf(part.toolName) || call.name
      call.isForeign ||= part.providerExecuted === true
      return true
    },
    end() {
      const complete = [...collected.values()].filter((call) => call.input !== undefined && !call.isForeign)
      const named = complete.filter((call) => call.name !== "")
      const nameless = complete.length - named.length
      return [
        ...named.map((call, at): ModelPart => ({ type: "tool-call", call: toolCall(call, at + 1) })),
        ...(nameless === 0
          ? []
          : [{ type: "warning" as const, message: `${nameless} tool call(s) without a name were left out.` }]),
      ]
    },
  }
}

function callOf(collected: Map<string, Collected>, part: Readonly<Record<string, unknown>>): Collected {
  const id = stringOf(part.type === "tool-call" ? part.toolCallId : part.id)
  // Calls without an id come whole: each is one of its own.
  const key = id === "" && part.type === "tool-call" ? `#${collected.size}` : id
  const call = collected.get(key) ?? { id, name: "", deltas: [], isText: false, isForeign: false }
  collected.set(key, call)
  return call
}

function toolCall({ id, name, input = "" }: Collected, number: number): ToolCall {
  return { id: id || `call_${number}`, name, args: input.trim() === "" ? "{}" : input }
}

function joinedInput({ deltas, isText }: Collected): string {
  const text = deltas.join("")
  return isText ? JSON.stringify(text) : text
}

/** The specification says text; a few providers hand over the object itself. */
function inputText(input: unknown): string {
  return typeof input === "object" && input !== null ? JSON.stringify(input) : stringOf(input)
}
