import { countOf, recordOf, stringOf } from "../../core/json-access.ts"
import { endedWhole, type FinishReason, type ModelPart, type ModelReport, type Usage } from "../../core/model/language-model.ts"
import type { Reader } from "../../core/reader.ts"
import type { ToolCall } from "../../core/span.ts"
import { createWellFormedReader } from "../../reply/incoming-text.ts"
import words from "./server-words.json" with { type: "json" }

// The adapters make these parts of a streamed answer alike.

/** Turns deltas into parts that never hold half a surrogate pair. A delta that is not a string is ignored. */
function createDeltaReader(type: "text-delta" | "thinking-delta"): Reader<unknown, ModelPart> {
  const characters = createWellFormedReader()
  const parts = (pieces: readonly string[]): ModelPart[] => pieces.map((delta) => ({ type, delta }))
  return { push: (delta) => parts(characters.push(stringOf(delta))), end: () => parts(characters.end()) }
}

/** Reads what a provider streams of one answer. */
export interface StreamReader<Chunk> extends Reader<Chunk, ModelPart> {
  /** True once there was a finish reason. The answer is complete then, even if the connection breaks. */
  finished(): boolean
  /** True once there was something of an answer. */
  begun(): boolean
}

/** Makes a filter that lets each message through once. */
export function createUntold(): (messages: readonly (string | false)[]) => readonly string[] {
  const told = new Set<string | false>([false])
  return (messages) => messages.filter((message) => message !== false && !told.has(message) && told.add(message)) as string[]
}

/** The reason why a model stopped, and a warning when the answer may be incomplete. */
export interface Finish {
  readonly reason: FinishReason
  readonly warning?: string
}

/** The finish of a stream that ended without a reason. */
export const unfinished: Finish = { reason: "other", warning: "The stream ended without a finish reason." }

const finishReasons = new Map(Object.entries(words.finishReasons as Readonly<Record<string, FinishReason>>))

/** Reads a server's own word for the reason, in lower case. */
export function finishOf(word: string): Finish {
  if (word === "error") return { reason: "other", warning: "The model stopped because of an error." }
  const reason = finishReasons.get(word)
  if (reason !== undefined) return { reason }
  const shown = JSON.stringify(word.slice(0, 80))
  return { reason: "other", warning: `The finish reason ${shown} is not known, so the answer may lack its end.` }
}

/** The warning for a file of which the model gave the address alone. */
export function linkedFile(url: string): ModelPart {
  const message = `The model gave a file as an address, which is not fetched, so it was left out: ${url.slice(0, 500)}`
  return { type: "warning", message }
}

/** Returns arguments as JSON text. A few servers and providers send an object instead. */
export function argumentsText(wire: unknown): string {
  return typeof wire === "object" && wire !== null ? JSON.stringify(wire) : stringOf(wire)
}

/** A server, or a provider, with the family of the model: that of `deepseek-chat` and of `deepseek/deepseek-v4` is `deepseek`. */
export function providerName(server: string, model: string): string {
  return `${server} ${/^[a-z]*/i.exec(model)?.[0]}`.toLowerCase()
}

/** The data that the provider of a request gave with a call. Another provider's is left out; that of older versions does not tell whose it is. */
export function providerDataOf(call: ToolCall | undefined, provider: string | undefined): Readonly<Record<string, unknown>> {
  const data = recordOf(call?.providerData)
  return data.from === undefined || provider === undefined || data.from === provider ? data : {}
}

/**
 * Makes the reader of one answer's text, thinking and end. The adapter notes usage and finish in it when they come. Data of calls is
 * marked with the provider that it came from.
 */
export function createAnswerReader(provider?: string) {
  const [text, thinking] = [createDeltaReader("text-delta"), createDeltaReader("thinking-delta")]
  return {
    text,
    thinking,
    usage: undefined as Usage | undefined,
    finish: undefined as Finish | undefined,
    report: {} as ModelReport,
    /** A count of a usage report that is none, such as -1 or "12", as `NAME = VALUE`. */
    odd: undefined as string | undefined,
    /** Notes the counts of a usage report. Unknown ones stay absent, and so do those that are none. A report without counts is none. */
    count(counts: { readonly [K in keyof Usage]: unknown }): void {
      const given = Object.entries(counts).filter(([, value]) => value !== undefined && value !== null)
      const known = given.filter(([, value]) => countOf(value) !== undefined)
      if (known.length > 0) this.usage = Object.fromEntries(known) as Usage
      const [name, odd] = given.find(([, value]) => countOf(value) === undefined) ?? []
      if (name !== undefined)
        this.odd ??= `${name} = ${(typeof odd === "number" ? String(odd) : JSON.stringify(odd)).slice(0, 80)}`
    },
    /** Returns the last parts: what is held of thinking and text, the calls, the usage and exactly one finish. */
    end(calls: readonly ToolCall[]): ModelPart[] {
      const marked = calls.map((call) =>
        call.providerData === undefined || provider === undefined
          ? call
          : { ...call, providerData: { ...recordOf(call.providerData), from: provider } },
      )
      const told: ModelPart[] = Object.keys(this.report).length > 0 ? [{ type: "report", report: this.report }] : []
      if (this.odd !== undefined)
        told.push({ type: "warning", message: `The usage report holds ${this.odd}, which is no count, so it is left out.` })
      return [...thinking.end(), ...text.end(), ...told, ...endParts(marked, this.usage, this.finish ?? unfinished)]
    },
  }
}

/**
 * Returns the last parts of an answer: tool calls, usage and exactly one finish. Every call has an id of its own: one that is
 * missing or was given twice becomes `call_1`, `call_2`, …. Blank arguments become `{}`, unless the answer was cut off, since
 * they may be missing then. Calls without a name are left out with a warning.
 */
function endParts(calls: readonly ToolCall[], usage: Usage | undefined, finish: Finish): ModelPart[] {
  const named = calls.filter(({ name }) => name !== "")
  const ids = uniqueIds(named.map(({ id }) => id))
  const parts: ModelPart[] = named.map(({ name, args, providerData }, at) => ({
    type: "tool-call",
    call: {
      id: ids[at] ?? "",
      name,
      args: args.trim() === "" && endedWhole(finish.reason) ? "{}" : args,
      providerData,
    },
  }))
  const nameless = calls.length - named.length
  if (nameless > 0) parts.push({ type: "warning", message: `${nameless} tool call(s) without a name were left out.` })
  if (usage) parts.push({ type: "usage", usage })
  if (finish.warning !== undefined) parts.push({ type: "warning", message: finish.warning })
  parts.push({ type: "finish", reason: finish.reason })
  return parts
}

function uniqueIds(ids: readonly string[]): readonly string[] {
  const taken = new Set(ids)
  const used = new Set<string>()
  let made = 0
  return ids.map((id) => {
    let own = id
    while (own === "" || used.has(own) || (own !== id && taken.has(own))) own = `call_${++made}`
    used.add(own)
    return own
  })
}
