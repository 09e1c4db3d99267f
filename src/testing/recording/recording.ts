import { type ErrorCode, messageOf, PromptStrataError } from "../../core/errors.ts"
import { isRecord, parsedJson } from "../../core/json-access.ts"
import type { ModelCapabilities, ModelPart, ModelRequest, ModelTool } from "../../core/model/language-model.ts"
import { mapTexts } from "../../core/secrets/redact.ts"
import type { Message } from "../../core/span.ts"
import { escapeUnits } from "../../prompt/encode/inline.ts"

/** The part of a request that is sent. A recording keeps it and a replay compares it. */
export type RecordedRequest = Pick<
  ModelRequest,
  "messages" | "tools" | "toolChoice" | "responseFormat" | "maxOutputTokens" | "temperature"
>

/** An error that a stream threw. Without a code it was no error of this library. */
interface RecordedError {
  readonly code?: ErrorCode
  readonly message: string
  readonly hint?: string | undefined
  readonly evidence?: Readonly<Record<string, unknown>>
}

/** The end of a stream. `whole`: it ended by itself. `failed`: it threw. `stopped`: the reader aborted or left it. */
export type RecordedEnd =
  | { readonly type: "whole" }
  | { readonly type: "failed"; readonly error: RecordedError }
  | { readonly type: "stopped" }

/** One request and the parts of its answer. */
export interface Exchange {
  readonly request: RecordedRequest
  readonly parts: readonly ModelPart[]
  readonly end: RecordedEnd
}

/** A conversation with a model. */
interface Recording {
  readonly model: string
  readonly capabilities: ModelCapabilities
  /** In order of the requests. */
  readonly exchanges: readonly Exchange[]
}

/** The version of the file format. No other version is read. */
const recordingVersion = 1

/** The part of a request that is sent, as plain JSON with a fixed order of properties, without secrets. */
export function recordedRequest(request: ModelRequest, redact: (text: string) => string): RecordedRequest {
  const { messages, tools = [], toolChoice, responseFormat, maxOutputTokens, temperature } = request
  // JSON leaves out what is undefined.
  const sent = {
    toolChoice,
    responseFormat,
    maxOutputTokens,
    temperature,
    tools: tools.length > 0 ? tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })) : undefined,
    messages: messages.map(({ role, content, parts, toolCalls = [], toolCallId }) => ({
      role,
      toolCallId,
      content,
      // The id of its bytes, or its URL, says which picture it was.
      parts: parts?.map(({ end, attachment }) => ({ end, attachment })),
      toolCalls: toolCalls.length > 0 ? toolCalls.map(({ id, name, args }) => ({ id, name, args })) : undefined,
    })),
  }
  return mapTexts(JSON.parse(JSON.stringify(sent)), redact) as RecordedRequest
}

/** An error as data, without its cause and without secrets. */
export function recordedError(thrown: unknown, redact: (text: string) => string): RecordedError {
  if (!PromptStrataError.isInstance(thrown)) return { message: redact(messageOf(thrown)) }
  const { code, message, hint, evidence } = thrown
  // A PromptStrataError adds its hint to the message. Left in, the replayed error would have it twice.
  const said = hint !== undefined && message.endsWith(`\n${hint}`) ? message.slice(0, -hint.length - 1) : message
  return {
    code,
    message: redact(said),
    hint: hint === undefined ? undefined : redact(hint),
    evidence: mapTexts(asJson(evidence), redact) as Readonly<Record<string, unknown>>,
  }
}

/** Creates the error that was recorded. */
export function errorFrom({ code, message, hint, evidence }: RecordedError): Error {
  if (code === undefined) return new Error(message)
  return new PromptStrataError(code, message, { hint, evidence })
}

function asJson(evidence: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(evidence))
  } catch {
    return {}
  }
}

/** Formats a recording as JSON lines: a head, then for each exchange its request, messages and parts, one a line, and its end. */
export function writeRecording({ model, capabilities, exchanges }: Recording): string {
  const head = { recording: "promptstrata", version: recordingVersion, model, capabilities }
  return [head, ...exchanges.flatMap(exchangeLines)].map((line) => `${jsonLine(line)}\n`).join("")
}

function exchangeLines({ request, parts, end }: Exchange, index: number): readonly unknown[] {
  const { messages, tools = [], ...settings } = request
  return [
    { request: index + 1, ...settings },
    ...tools.map((tool) => ({ tool })),
    ...messages.map((message) => ({ message })),
    ...parts.map((part) => ({ part })),
    endLine(end),
  ]
}

function endLine(end: RecordedEnd): unknown {
  return end.type === "failed" ? { end: end.type, error: end.error } : { end: end.type }
}

/** JSON without characters that an editor takes for a line break. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, escapeUnits)
}

type Line = Readonly<Record<string, unknown>>

interface OpenExchange {
  readonly settings: Line
  readonly tools: ModelTool[]
  readonly messages: Message[]
  readonly parts: ModelPart[]
}

/** Reads the text that `writeRecording` wrote. Throws code `file` with the line where the text is something else. */
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
  const data = parsedJson(line)
  if (isRecord(data)) return data
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
  const request = { ...settings, tools: tools.length > 0 ? tools : undefined, messages } as RecordedRequest
  return { request, parts, end }
}

function lineError(expected: string, { file, number }: { readonly file: string; readonly number: number }): PromptStrataError {
  return new PromptStrataError("file", `expected ${expected}.`, {
    source: { file, line: number, column: 1 },
    hint: "Record the conversation again with recordModel.",
  })
}

/** Node's own modules, asked for when a recording is used: an `import()` of them would stop bundlers for browsers. */
export function nodeModules() {
  const get = globalThis.process?.getBuiltinModule
  if (get === undefined)
    throw new PromptStrataError("usage", "Recordings are files: expected Node.js, found a runtime without its modules.")
  return { files: get("node:fs/promises"), path: get("node:path"), assert: get("node:assert"), util: get("node:util") }
}
