import { countOf, isRecord, listOf, parsedJson, recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelPart, ModelReport, Usage } from "../../../core/model/language-model.ts"
import type { ToolCall } from "../../../core/span.ts"
import { argumentsText, createAnswerReader, finishOf } from "../answer-parts.ts"
import { createPictureReader } from "./answer-media.ts"

/**
 * Makes a reader for one streamed chat completion. It has begun with a chunk with choices, as chat completions have them. `push` returns text and thinking at once. `recorded` has what the model said aloud, in pieces of base64, and
 * `end` gets what was made of them; it returns the tool calls, the last usage
 * report and exactly one finish. A stream without a finish reason finishes as `other`, with a warning. The names of the tools
 * that were offered tell calls apart. `model` is the one that the request asked for, `provider` the name of whom it asked.
 */
export function createChunkReader(tools: readonly string[], { provider, model }: { provider?: string; model?: string } = {}) {
  const answer = createAnswerReader(provider)
  const pictures = createPictureReader()
  const recorded: string[] = []
  const toolCalls = createToolCallAssembler(tools)
  const thoughts = createThoughtCollector(provider)
  /** The fields of the answer that came in pieces. */
  const streamed = new Set<string>()
  let begun = false
  return {
    recorded,
    finished: () => answer.finish !== undefined,
    begun: () => begun,
    push(chunk: unknown): ModelPart[] {
      begun ||= Array.isArray(recordOf(chunk).choices)
      const choice = firstChoice(chunk)
      // A server that ignores `stream: true` sends one document, which has a message. MiniMax repeats a streamed answer in one.
      const fields = Object.entries(recordOf(choice.delta ?? choice.message))
      const delta = Object.fromEntries(choice.delta ? fields : fields.filter(([name]) => !streamed.has(name)))
      if (choice.delta) for (const [name, value] of fields) if (isGiven(value)) streamed.add(name)
      const content = readContent(delta)
      thoughts.push(delta)
      const { usage } = recordOf(chunk)
      if (usage || choice.usage) answer.count(countsIn({ ...recordOf(choice.usage), ...recordOf(usage) }))
      answer.report = { ...answer.report, ...reportIn(recordOf(chunk), delta, model) }
      for (const [place, call] of listOf(delta.tool_calls).entries()) toolCalls.push(call, place)
      // The form of calls before there were several.
      if (delta.function_call) toolCalls.push({ function: delta.function_call }, 0)
      const reason = stringOf(choice.finish_reason).toLowerCase()
      if (reason !== "") answer.finish ??= finishOf(reason)
      const { data, transcript } = recordOf(delta.audio)
      if (stringOf(data) !== "") recorded.push(stringOf(data))
      const said = content.text || stringOf(transcript) || choice.text
      const files = pictures.push(delta)
      return [...answer.thinking.push(content.reasoning), ...answer.text.push(said), ...files]
    },
    end: (recording: readonly ModelPart[] = []): ModelPart[] => [
      ...answer.thinking.end(),
      ...answer.text.end(),
      ...recording,
      ...answer.end(thoughts.addTo(toolCalls.calls())),
    ],
  }
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== "" && !(Array.isArray(value) && value.length === 0)
}

/**
 * Collects what a server wants back with the calls of a message (DeepSeek, OpenRouter, vLLM, Ollama, Google's compatible address): its
 * thoughts as text, as entries with signatures, and data beside them. The first call keeps it for later requests. An empty thought counts.
 */
function createThoughtCollector(provider = "") {
  let text: string | undefined
  let reasoning = ""
  // MiniMax writes its thoughts into the text, and wants them back there.
  const isTagged = provider.includes("minimax")
  let content = ""
  let extra: Readonly<Record<string, unknown>> = {}
  const details: Record<string, unknown>[] = []
  return {
    push(delta: Readonly<Record<string, unknown>>): void {
      if (typeof delta.reasoning_content === "string") text = (text ?? "") + delta.reasoning_content
      reasoning += stringOf(delta.reasoning)
      if (isTagged) content += stringOf(delta.content)
      extra = { ...extra, ...recordOf(delta.extra_content) }
      for (const detail of listOf(delta.reasoning_details).filter(isRecord)) {
        const last = details.at(-1)
        if (last && last.type === detail.type && last.index === detail.index && detail.type !== encryptedThought)
          join(last, detail)
        else details.push({ ...detail })
      }
    },
    addTo(calls: ToolCall[]): ToolCall[] {
      // vLLM sends the same under both names.
      const isNamedShort = reasoning !== "" && !text && details.length === 0
      const message = {
        ...(isNamedShort ? { reasoning } : text !== undefined && { reasoning_content: text }),
        ...(details.length > 0 && { reasoning_details: details }),
        ...(Object.keys(extra).length > 0 && { extra_content: extra }),
      }
      const [think] = /^\s*<think>[\s\S]*?<\/think>\s*/.exec(content) ?? []
      const kept = { ...(Object.keys(message).length > 0 && { message }), ...(think !== undefined && { think }) }
      const first = Object.keys(kept).length === 0 ? -1 : calls.findIndex(({ name }) => name !== "")
      return calls.map((call, at) =>
        at === first ? { ...call, providerData: { ...recordOf(call.providerData), ...kept } } : call,
      )
    },
  }
}

/** Each such entry of OpenRouter is whole; the others come in pieces. */
const encryptedThought = "reasoning.encrypted"

/** Adds a piece to an entry: its words follow, other fields take its value if it has one. */
function join(entry: Record<string, unknown>, piece: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(piece)) {
    const isWords = name === "text" || name === "summary"
    if (value !== undefined && value !== null) entry[name] = isWords ? stringOf(entry[name]) + stringOf(value) : value
  }
}

/** Returns the only choice that was requested. A chunk without one holds usage or a heartbeat. */
function firstChoice(chunk: unknown): Readonly<Record<string, unknown>> {
  const choices = listOf(recordOf(chunk).choices).map(recordOf)
  return choices.find((choice) => choice.index === 0 || choice.index === undefined) ?? {}
}

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

/** Reads who answered, its tier, and what it cites (Perplexity; annotations of OpenAI and OpenRouter). */
function reportIn(
  { model, service_tier: tier, citations }: Readonly<Record<string, unknown>>,
  { annotations }: Readonly<Record<string, unknown>>,
  asked: string | undefined,
): ModelReport {
  const noted = listOf(annotations).map((each) => stringOf(recordOf(recordOf(each).url_citation).url))
  const cited = [...listOf(citations).map(stringOf), ...noted].filter((url) => url !== "")
  return {
    ...(typeof model === "string" && model !== "" && asked !== undefined && model !== asked && { model }),
    ...(typeof tier === "string" && { serviceTier: tier }),
    ...(cited.length > 0 && { citations: [...new Set(cited)] }),
  }
}

/** The counts of a usage report as they are. The price is in US dollars (OpenRouter), a sum of several (Perplexity), or in ticks (xAI). */
function countsIn(report: Readonly<Record<string, unknown>>): { readonly [K in keyof Usage]: unknown } {
  const input = recordOf(report.prompt_tokens_details)
  const { cost, cost_in_usd_ticks: ticks } = report
  return {
    costUsd: isRecord(cost) ? cost.total_cost : (cost ?? (typeof ticks === "number" ? ticks / 1e10 : ticks)),
    inputTokens: report.prompt_tokens,
    // DeepSeek and Moonshot had their own fields for cached input.
    inputCacheReadTokens: input.cached_tokens ?? report.prompt_cache_hit_tokens ?? report.cached_tokens,
    inputCacheWriteTokens: input.cache_write_tokens,
    outputTokens: report.completion_tokens,
    reasoningTokens: recordOf(report.completion_tokens_details).reasoning_tokens,
  }
}

interface OpenCall {
  id: string
  name: string
  args: string
  /** Data of the provider, such as a thought's signature at Google's compatible address. */
  extra: unknown
  /** True once the name came again after arguments that were whole. */
  isNamedAgain: boolean
  /** True if the pieces may belong to two calls. */
  isUnclear: boolean
}

/** Joins tool calls whose deltas may be split anywhere and interleaved. */
function createToolCallAssembler(tools: readonly string[]) {
  const opened: OpenCall[] = []
  const byIndex = new Map<unknown, OpenCall>()
  return {
    /** Takes a delta. `place` is its place in the chunk: servers that send no index send each call in one piece. */
    push(delta: unknown, place: number): void {
      const wire = recordOf(delta)
      const fn = recordOf(wire.function)
      const id = stringOf(wire.id)
      let name = stringOf(fn.name)
      const args = argumentsText(fn.arguments)
      const index = countOf(wire.index) ?? place
      const byId = wire.index === undefined && id !== "" ? opened.find((call) => call.id === id) : undefined
      let call = byId ?? byIndex.get(index)
      if (!call || beginsAnother(call, { id, name, args }, tools)) {
        // Only a call that was named again goes on without a name.
        if (call?.isNamedAgain) name ||= call.name
        call = { id, name: "", args: "", extra: undefined, isNamedAgain: false, isUnclear: false }
        opened.push(call)
        byIndex.set(index, call)
      }
      call.id ||= id
      call.extra ??= wire.extra_content
      call.isUnclear ||= name !== call.name && tools.includes(name) && tools.includes(call.name)
      // Some servers repeat the whole name with each delta, some send it in pieces.
      if (name !== call.name) call.name += name
      else if (name !== "" && args.trim() === "") call.isNamedAgain ||= parsedJson(call.args) !== undefined
      call.args += args
    },
    /** Every call in order of appearance. One whose pieces may belong to another has arguments that cannot be read. */
    calls(): ToolCall[] {
      const isAstray = opened.some(({ name, args }) => name === "" && args.trim() !== "")
      return opened.map(({ id, name, args, extra, isUnclear }) => ({
        id,
        name,
        args: isUnclear || (isAstray && args.trim() === "") ? `[unclear] ${args}` : args,
        providerData: isRecord(extra) ? { extraContent: extra } : undefined,
      }))
    },
  }
}

/**
 * Some servers give every call the index 0, or none. Another call then begins with a name that comes with another id or after
 * arguments that are whole, or with the name of a tool that is no piece of a longer one.
 */
function beginsAnother(call: OpenCall, next: Pick<OpenCall, "id" | "name" | "args">, tools: readonly string[]): boolean {
  const isWhole = () => parsedJson(call.args) !== undefined
  const isBlank = next.args.trim() === ""
  if (next.name === "") return call.isNamedAgain && !isBlank && isWhole()
  if (next.id !== "" && call.id !== "" && next.id !== call.id) return true
  // Its arguments came before its name.
  if (call.name === "") return false
  if (next.name === call.name) return !isBlank && isWhole()
  const isTool = tools.includes(next.name) || tools.includes(call.name)
  return isWhole() || (isTool && !tools.some((tool) => tool.startsWith(call.name + next.name)))
}
