import { PromptStrataError } from "../../core/errors.ts"
import type { Message } from "../../core/message.ts"
import type { ModelCapabilities, ModelTool } from "../../model/language-model.ts"
import type { ModelPart } from "../../model/model-part.ts"
import {
  type Exchange,
  type RecordedEnd,
  type RecordedError,
  type RecordedRequest,
  type Recording,
  recordingVersion,
} from "./recording.ts"

type Line = Readonly<Record<string, unknown>>

interface OpenExchange {
  readonly settings: Line
  readonly tools: ModelTool[]
  readonly messages: Message[]
  readonly parts: ModelPart[]
}

/** Reads what `writeRecording` wrote; throws code `file` with the line where it is something else. */
export function readRecording(text: string, file: string): Recording {
  const lines = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [{ line, number: index + 1 }]))
  const [first, ...rest] = lines.map(({ line, number }) => ({ number, data: parseLine(line, { file, number }) }))
  const exchanges: Exchange[] = []
  let open: OpenExchange | undefined
  for (const { data, number } of rest) {
    const fault = (expected: string) => lineError(expected, { file, number })
    if ("request" in data) {
      if (open) throw fault("the end of the exchange before this one")
      const { request: _, ...settings } = data
      open = { settings, tools: [], messages: [], parts: [] }
      continue
    }
    if (!open) throw fault("a request")
    if ("end" in data) {
      exchanges.push(closed(open, endOf(data, fault)))
      open = undefined
    } else addLine(open, data, fault)
  }
  if (open) throw lineError("the end of the last exchange", { file, number: lines.at(-1)?.number ?? 1 })
  return { ...headOf(first?.data, file), exchanges }
}

function parseLine(line: string, at: { readonly file: string; readonly number: number }): Line {
  try {
    const data: unknown = JSON.parse(line)
    if (typeof data === "object" && data !== null && !Array.isArray(data)) return data as Line
  } catch {
    // Said below, with the line.
  }
  throw lineError("a JSON object on one line", at)
}

function headOf(head: Line | undefined, file: string): Pick<Recording, "model" | "capabilities"> {
  if (head?.recording !== "promptstrata") throw lineError("a recording made by recordModel", { file, number: 1 })
  if (head.version !== recordingVersion) throw lineError(`version ${recordingVersion} of the format`, { file, number: 1 })
  return { model: String(head.model), capabilities: head.capabilities as ModelCapabilities }
}

function addLine(open: OpenExchange, data: Line, fault: (expected: string) => PromptStrataError): void {
  if ("tool" in data) open.tools.push(data.tool as ModelTool)
  else if ("message" in data) open.messages.push(data.message as Message)
  else if ("part" in data) open.parts.push(data.part as ModelPart)
  else throw fault("a tool, a message, a part or an end")
}

function endOf({ end, error }: Line, fault: (expected: string) => PromptStrataError): RecordedEnd {
  if (end === "whole" || end === "stopped") return { type: end }
  if (end === "failed") return { type: end, error: error as RecordedError }
  throw fault("the end whole, failed or stopped")
}

function closed({ settings, tools, messages, parts }: OpenExchange, end: RecordedEnd): Exchange {
  const request = { ...settings, ...(tools.length > 0 && { tools }), messages } as RecordedRequest
  return { request, parts, end }
}

function lineError(expected: string, { file, number }: { readonly file: string; readonly number: number }): PromptStrataError {
  return new PromptStrataError("file", `expected ${expected}.`, {
    source: { file, line: number, column: 1 },
    hint: "Record the conversation again with recordModel.",
  })
}
