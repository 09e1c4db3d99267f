import { checkOptions } from "../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { abortedError, type LanguageModel, type ModelPart } from "../../core/model/language-model.ts"
import { hostSecrets } from "../../core/secrets/find-secrets.ts"
import { redactText } from "../../core/secrets/redact.ts"
import { escapeUnits } from "../../prompt/encode/inline.ts"
import { expectDoneLater } from "../scripted-model.ts"
import type { RecordingOptions } from "./record-model.ts"
import { type Exchange, errorFrom, nodeModules, type RecordedRequest, readRecording, recordedRequest } from "./recording.ts"

/** A model that answers from a recording. */
export interface ReplayModel extends LanguageModel {
  /** Throws code `test` unless every recorded request was made again. */
  assertDone(): void
}

/**
 * Creates a model that answers each request with the parts or the error in the recording `file`. If the recorded reader had
 * stopped the stream, the model stays silent until the request is aborted. A request that is not in the rest of the recording
 * throws code `test` and shows the lines that differ. `assertDone` and `expectScriptsDone` find recorded requests
 * that were not made. Needs `node:fs`.
 */
export async function replayModel(file: string, options: RecordingOptions = {}): Promise<ReplayModel> {
  checkOptions("replayModel", options, "secrets")
  const { model: id, capabilities, exchanges } = readRecording(await read(file), file)
  const find = hostSecrets(options.secrets)
  const left = exchanges.map((exchange, index) => ({ exchange, key: JSON.stringify(exchange.request), number: index + 1 }))
  const model: ReplayModel = {
    id,
    capabilities,
    stream(request, { signal }) {
      const asked = recordedRequest(request, (text) => redactText(text, find))
      return play(() => {
        const key = JSON.stringify(asked)
        // Concurrent requests may come in another order.
        const at = left.findIndex((candidate) => candidate.key === key)
        const [next] = left
        if (!next) throw noRequestLeft(file, exchanges.length, asked)
        if (at < 0) throw otherRequest(file, next, asked)
        return (left.splice(at, 1)[0] ?? next).exchange
      }, signal)
    },
    assertDone() {
      const [next] = left
      if (next) throw requestsLeft(file, exchanges.length, next)
    },
  }
  expectDoneLater(model)
  return model
}

async function* play(take: () => Exchange, signal: AbortSignal): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const { parts, end } = take()
  for (const part of parts) {
    yield part
    if (signal.aborted) throw abortedError(signal)
  }
  if (end.type === "failed") throw errorFrom(end.error)
  if (end.type === "whole") return
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
  throw abortedError(signal)
}

async function read(file: string): Promise<string> {
  const { files } = nodeModules()
  try {
    return await files.readFile(file, "utf8")
  } catch (cause) {
    throw new PromptStrataError("file", `expected a recording at ${file}, which cannot be read: ${messageOf(cause)}.`, {
      cause,
      hint: "Record it with recordModel(model, file).",
    })
  }
}

interface Numbered {
  readonly exchange: Exchange
  readonly number: number
}

const recordAgain = "If this is intended, record the conversation again with recordModel."

function otherRequest(file: string, { exchange, number }: Numbered, asked: RecordedRequest): PromptStrataError {
  const difference = requestDifference(exchange.request, asked)
  const message = `The request is neither request ${number} of ${file} nor a later one:\n${difference}`
  return new PromptStrataError("test", message, { evidence: { file, request: number }, hint: recordAgain })
}

function noRequestLeft(file: string, requests: number, asked: RecordedRequest): PromptStrataError {
  const message = `${file} has ${requests} request(s), and one more was made.${lastMessage(asked)}`
  return new PromptStrataError("test", message, { evidence: { file, requests }, hint: recordAgain })
}

function requestsLeft(file: string, requests: number, { exchange, number }: Numbered): PromptStrataError {
  const message = `Request ${number} of ${requests} in ${file} was never made.${lastMessage(exchange.request)}`
  return new PromptStrataError("test", message, { evidence: { file, request: number, requests }, hint: recordAgain })
}

function lastMessage({ messages }: RecordedRequest): string {
  const last = messages.at(-1)
  return last ? ` Its last message (${last.role}):\n${last.content}` : ""
}

/** A longer difference is cut: nobody reads more. */
const maxCharacters = 20_000

/**
 * Describes how a request differs from a recorded one, line by line: its settings, its tools, then its messages. Lines that are alike
 * are left out but for some around each difference. The requests must differ.
 */
export function requestDifference(recorded: RecordedRequest, now: RecordedRequest): string {
  const { assert, util } = nodeModules()
  const texts = { actual: linesOf(now), expected: linesOf(recorded) }
  const { message } = new assert.AssertionError({ ...texts, operator: "deepStrictEqual" })
  const shown = util.stripVTControlCharacters(message).replace(/^.*\n\+ actual - expected/u, "+ now - recorded")
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters).toWellFormed()}\n…` : shown
}

/** A request as lines, in which every character is seen. */
function linesOf({ messages, tools = [], ...settings }: RecordedRequest): readonly string[] {
  const parts = [settings, ...tools].map((part) => JSON.stringify(part, null, 2))
  for (const { role, content, ...others } of messages)
    parts.push(`# ${role}\n${content.split("\n").map(sentences).join("\n")}`, JSON.stringify(others, null, 2))
  return parts
    .filter((part) => part !== "{}")
    .join("\n\n")
    .replace(/[^\S \n]|[\p{Cf}\p{Cs}]|(?!\n)\p{Cc}/gu, escapeUnits)
    .split("\n")
}

/** A long line sentence by sentence, so that one that differs does not print all of them. */
function sentences(line: string): string {
  return line.length > 160 ? line.replace(/(?:[.!?](?=\s)|[。！？；])(?!$)/gu, "$&\n  ") : line
}
