import type { Message } from "../../core/message.ts"
import type { Stability } from "../../core/scope.ts"
import type { Assembly, Prefix } from "../../core/span.ts"
import type { CacheForm } from "./cache-form.ts"

/** A place in a request: everything up to it may be served from a cache. */
export interface Breakpoint {
  /** Index of the message. */
  readonly message: number
  /** UTF-16 offset in its content. */
  readonly end: number
}

/** Providers take no more. */
export const maxBreakpoints = 4

/** By worth: what the next turns share and is longest comes first, what only this turn's next step can use comes last. */
const byWorth: readonly Stability[] = ["conversation", "session", "global", "turn"]

/**
 * Where an assembly's prefixes end, in order of place, at most `max`. A prefix that ends where the provider cannot be told
 * so ends at the nearest place before. None where `messages` are not the assembly's own up to there.
 */
export function chooseBreakpoints(
  assembly: Assembly,
  messages: readonly Message[],
  { form, max = maxBreakpoints }: { readonly form: CacheForm; readonly max?: number },
): Breakpoint[] {
  const shared = sharedLength(assembly.messages, messages)
  const chosen: Breakpoint[] = []
  for (const stability of byWorth) {
    const prefix = assembly.prefixes.find((candidate) => candidate.stability === stability)
    if (chosen.length >= max || prefix === undefined || prefix.tokens === 0 || prefix.message >= shared) continue
    const place = markablePlace(placeOf(prefix, assembly), messages, form)
    if (place && !chosen.some(({ message, end }) => message === place.message && end === place.end)) chosen.push(place)
  }
  return chosen.sort((a, b) => a.message - b.message || a.end - b.end)
}

/** True where an assembly has a prefix that is worth a mark. */
export function hasPrefixes(assembly: Assembly): boolean {
  return assembly.prefixes.some((prefix) => prefix.tokens > 0)
}

/** The name of what requests of one session share, or nothing where they share nothing. */
export function cacheKeyOf({ prefixes }: Assembly): string | undefined {
  const session = prefixes.find(({ stability }) => stability === "session")
  return session === undefined || session.tokens === 0 ? undefined : `promptstrata-${session.fingerprint}`
}

/** History grows where it ends: what is printed after it will stand elsewhere in the next turn, so it is left out. */
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

/** Text can be parted anywhere but before its first visible character; a tool's result is one piece. */
function isMarkable({ end }: Breakpoint, message: Message | undefined, form: CacheForm): boolean {
  if (message === undefined || message.content.slice(0, end).trim() === "") return false
  if (message.role === "tool") return end === message.content.length
  return message.role !== "assistant" || form.marksAssistant
}

/** How many messages both begin with. */
function sharedLength(a: readonly Message[], b: readonly Message[]): number {
  if (a === b) return a.length
  const first = a.findIndex((message, at) => message.role !== b[at]?.role || message.content !== b[at]?.content)
  return first === -1 ? a.length : first
}
