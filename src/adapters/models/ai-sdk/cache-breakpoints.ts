import { listOf, recordOf } from "../../../core/json-access.ts"
import type { Assembly, Message, Prefix } from "../../../core/span.ts"
import type { Stability } from "../../../core/value.ts"
import type { AiSdkModelName, ProviderOptions } from "./provider-model.ts"

/**
 * `true`: breakpoints in the form of the model's provider, if that form is known. A provider's name: breakpoints in its form,
 * for a model that is reached under another name; `anthropic-1h` asks Anthropic to keep what is marked for an hour, at its price for
 * that. `false`: none.
 */
export type CacheBreakpointsOption = boolean | "anthropic" | "anthropic-1h" | "openai"

/** The way to tell a provider which prefixes to cache. */
export interface CacheForm {
  /** Goes on the last part of a prefix. Absent for a model that finds prefixes by itself. */
  readonly marker?: ProviderOptions | undefined
  /** True when the request names the prefix that it shares with others, so that they reach the same cache. */
  readonly keyed: boolean
  /** False when the provider drops a marker on an assistant message. */
  readonly marksAssistant: boolean
}

/** Returns the cache form of a model, or `undefined` when its provider takes none or none that is known here. */
export function cacheFormOf(model: AiSdkModelName, option: CacheBreakpointsOption): CacheForm | undefined {
  if (option === "anthropic-1h")
    return { ...anthropicForm, marker: { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } } }
  if (option === "anthropic" || (option === true && isAnthropic(model))) return anthropicForm
  if (option === "openai" || (option === true && ["openai.chat", "openai.responses"].includes(model.provider)))
    return openaiForm(model)
  return undefined
}

const anthropicForm: CacheForm = {
  marker: { anthropic: { cacheControl: { type: "ephemeral" } } },
  keyed: false,
  marksAssistant: true,
}

function openaiForm({ provider, modelId }: AiSdkModelName): CacheForm {
  return {
    marker: takesBreakpoints(modelId) ? { openai: { promptCacheBreakpoint: { mode: "explicit" } } } : undefined,
    keyed: true,
    marksAssistant: !provider.endsWith(".responses"),
  }
}

/** True for Anthropic, for Claude on another cloud by the same protocol (`vertex.anthropic.messages`), and for the AI gateway. */
function isAnthropic({ provider, modelId }: AiSdkModelName): boolean {
  return provider.split(".").includes("anthropic") || (provider === "gateway" && modelId.startsWith("anthropic/"))
}

/** GPT-5.6 and later take explicit breakpoints. Earlier models refuse the field and cache prefixes by themselves. */
function takesBreakpoints(modelId: string): boolean {
  const [, major = "0", minor = "0"] = /^gpt-(\d{1,3})(?:\.(\d{1,3}))?(?![\d.])/.exec(modelId) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6)
}

/** A place in a request. The provider may serve everything before it from a cache. */
export interface Breakpoint {
  /** Index of the message. */
  readonly message: number
  /** UTF-16 offset in its content. */
  readonly end: number
}

/** The breakpoints of a request, and the marker for the parts that end there. */
export interface CacheMarks {
  readonly breakpoints: readonly Breakpoint[]
  readonly marker: ProviderOptions
}

/** Providers take no more. */
const maxBreakpoints = 4

/** Chooses the breakpoints of a request. `used` counts those that it has already. Returns `undefined` when there are none. */
export function cacheMarks(
  { assembly, messages }: { readonly assembly?: Assembly | undefined; readonly messages: readonly Message[] },
  { cacheForm: form, providerOptions }: { readonly cacheForm: CacheForm | undefined; readonly providerOptions: ProviderOptions },
  used = 0,
): CacheMarks | undefined {
  if (form?.marker === undefined || assembly === undefined) return undefined
  // Anthropic's request-wide setting counts as one of the four.
  const max = maxBreakpoints - used - (providerOptions.anthropic?.cacheControl === undefined ? 0 : 1)
  const breakpoints = chooseBreakpoints(assembly, messages, { form, max })
  return breakpoints.length === 0 ? undefined : { breakpoints, marker: form.marker }
}

/** Counts the breakpoints that the messages and tools of a call have already. */
export function countMarks({ prompt, tools = [] }: { readonly prompt: readonly unknown[]; readonly tools?: readonly unknown[] }) {
  const parts = prompt.flatMap((message) => [message, ...listOf(recordOf(message).content)])
  return [...parts, ...tools].filter(isMarked).length
}

function isMarked(carrier: unknown): boolean {
  const options = recordOf(recordOf(carrier).providerOptions)
  const { cacheControl, cache_control } = recordOf(options.anthropic)
  return (cacheControl ?? cache_control ?? recordOf(options.openai).promptCacheBreakpoint) !== undefined
}

/** Returns the request-wide options that name the shared prefix, for a provider that wants to know it. */
export function cacheKeyOptions(assembly: Assembly | undefined, form: CacheForm | undefined): ProviderOptions {
  const session = assembly?.prefixes.find(({ stability }) => stability === "session")
  if (!form?.keyed || session === undefined || session.tokens === 0) return {}
  return { openai: { promptCacheKey: `promptstrata-${session.fingerprint}` } }
}

/** The most useful first: the longest prefix that the next turns share. The last is of use only to this turn's next step. */
const byUse: readonly Stability[] = ["conversation", "session", "global", "turn"]

/**
 * Returns the ends of an assembly's prefixes in order of place, at most `max`. A prefix whose end cannot be marked ends at the
 * nearest place before it. A prefix that `messages` do not share with the assembly is left out.
 */
function chooseBreakpoints(
  assembly: Assembly,
  messages: readonly Message[],
  { form, max }: { readonly form: CacheForm; readonly max: number },
): Breakpoint[] {
  const shared = sharedLength(assembly.messages, messages)
  const chosen: Breakpoint[] = []
  for (const stability of byUse) {
    const prefix = assembly.prefixes.find((candidate) => candidate.stability === stability)
    if (chosen.length >= max || prefix === undefined || prefix.tokens === 0 || prefix.message >= shared) continue
    const place = markablePlace(placeOf(prefix, assembly), messages, form)
    if (place && !chosen.some(({ message, end }) => message === place.message && end === place.end)) chosen.push(place)
  }
  return chosen.sort((a, b) => a.message - b.message || a.end - b.end)
}

/** The next turn adds to the end of the history and moves everything after it, so that text after the history is left out. */
function placeOf(prefix: Prefix, { messages, spans }: Assembly): Breakpoint {
  if (prefix.stability !== "conversation") return prefix
  let place: Breakpoint = prefix
  let message = -1
  let end = 0
  for (const span of spans) {
    end = span.message === message ? end + span.text.length : span.text.length
    message = span.message
    if (message > prefix.message || (message === prefix.message && end > prefix.end)) break
    if (span.stability === "conversation") place = { message, end }
  }
  return place.message < prefix.message ? { ...place, end: messages[place.message]?.content.length ?? 0 } : place
}

function markablePlace(from: Breakpoint, messages: readonly Message[], form: CacheForm): Breakpoint | undefined {
  let place = { message: from.message, end: from.end }
  while (!isMarkable(place, messages[place.message], form)) {
    if (place.message === 0) return undefined
    const message = place.message - 1
    place = { message, end: messages[message]?.content.length ?? 0 }
  }
  return place
}

/** Text can be split anywhere after its first visible character. A tool's result cannot be split. */
function isMarkable({ end }: Breakpoint, message: Message | undefined, form: CacheForm): boolean {
  if (message === undefined || message.content.slice(0, end).trim() === "") return false
  if (message.role === "tool") return end === message.content.length
  return message.role !== "assistant" || form.marksAssistant
}

/** Returns how many messages both lists begin with. */
function sharedLength(a: readonly Message[], b: readonly Message[]): number {
  if (a === b) return a.length
  const first = a.findIndex((message, at) => message.role !== b[at]?.role || message.content !== b[at]?.content)
  return first === -1 ? a.length : first
}
