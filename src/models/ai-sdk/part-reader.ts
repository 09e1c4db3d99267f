import type { Reader } from "../../core/reader.ts"
import type { ModelPart } from "../../model/model-part.ts"
import type { Usage } from "../../model/usage.ts"
import { listOf } from "../openai/json-access.ts"
import { type Finish, readFinish, unfinished } from "./finish.ts"
import { createSpeech } from "./speech.ts"
import { createToolCalls } from "./tool-calls.ts"
import { readUsage } from "./usage.ts"
import { warningText } from "./warning-text.ts"

type WirePart = Readonly<Record<string, unknown>>

/** Reads the parts of one `doStream`, apart from errors. */
export interface PartReader extends Reader<WirePart, ModelPart> {
  /** True once the provider has said why the model stopped: what is lost after that is no loss. */
  finished(): boolean
  /** True once there was text, thought or a call. */
  begun(): boolean
}

/** What a provider can stream and words cannot hold, and how a person is told. */
const leftOut: ReadonlyMap<unknown, string> = new Map([
  ["file", "The model made a file, which was left out."],
  ["tool-approval-request", "The provider asks whether it may run a tool of its own; nobody was asked."],
])

/** Text and reasoning come out as they arrive; tool calls whole, usage once and exactly one finish come out of `end`. */
export function createPartReader(): PartReader {
  const text = createSpeech("text-delta")
  const reasoning = createSpeech("reasoning-delta")
  const toolCalls = createToolCalls()
  let usage: Usage | undefined
  let finish: Finish | undefined
  let begun = false
  return {
    finished: () => finish !== undefined && finish !== unfinished,
    begun: () => begun,
    push(part) {
      switch (part.type) {
        case "text-delta":
          begun = true
          return text.push(part.delta)
        case "text-end":
          return text.end()
        case "reasoning-delta":
          begun = true
          return reasoning.push(part.delta)
        case "reasoning-end":
          return reasoning.end()
        case "finish":
          usage = readUsage(part.usage) ?? usage
          finish ??= readFinish(part.finishReason)
          return []
        default:
          begun = toolCalls.push(part) || begun
          return remarks(part)
      }
    },
    end: () => [...reasoning.end(), ...text.end(), ...toolCalls.end(), ...closing(usage, finish ?? unfinished)],
  }
}

function remarks(part: WirePart): ModelPart[] {
  const remark = leftOut.get(part.type)
  if (remark !== undefined) return [{ type: "warning", message: remark }]
  if (part.type !== "stream-start") return []
  return listOf(part.warnings).map((warning) => ({ type: "warning", message: warningText(warning) }))
}

function closing(usage: Usage | undefined, { reason, warning }: Finish): ModelPart[] {
  return [
    ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
    ...(warning === undefined ? [] : [{ type: "warning" as const, message: warning }]),
    { type: "finish", reason },
  ]
}
