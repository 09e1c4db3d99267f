import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../core/graphemes.ts"
import type { Message, MessageRole, ToolCall } from "../core/message.ts"
import type { Assembly, Span } from "../core/span.ts"
import { type Stability, stabilities } from "../core/value.ts"
import { oneLine } from "./one-line.ts"

/** What became of a request in the next one (S15). */
export interface AssemblyDifference extends DivergencePoint {
  /**
   * `none`: they are equal. `extended`: the previous one stands whole and unchanged at the beginning of the next one.
   * `shortened`: the next one is a beginning of the previous one. `changed`: anything else.
   */
  readonly outcome: "none" | "extended" | "shortened" | "changed"
  /**
   * Tokens of the contents before the place where they part, by the next request's spans; of a span that only begins the
   * same, its share by length. `simulateCache` counts with the tokenizer.
   */
  readonly sharedTokens: number
  /** The span that made the difference: absent where they are equal, or where none stands, as in a message of native calls. */
  readonly span?: ChangedSpan
  /** True when something that claims to be `global` or `session` changed: all that follows it falls out of a provider's cache. */
  readonly brokeStable: boolean
  /** Whose message the place is in; absent where a request has ended. */
  readonly roles: { readonly previous?: MessageRole; readonly next?: MessageRole }
  readonly excerpt: Excerpt
}

/** Names the first span that differs between two requests, of any prompts. Pure; linear in their text (S15). */
export function diffAssemblies(previous: Assembly, next: Assembly): AssemblyDifference {
  const parting = findParting(previous.messages, next.messages)
  const outcome = outcomeOf(previous, next, parting)
  const span = outcome === "none" ? undefined : findChangedSpan(previous, next, parting)
  return {
    outcome,
    ...parting,
    sharedTokens: tokensBefore(next, parting),
    ...(span ? { span } : {}),
    brokeStable: outcome === "changed" && span !== undefined && claimsToBeStable(span.stability),
    roles: rolesAt(previous, next, parting),
    excerpt: excerptAround(previous, next, parting),
  }
}

function outcomeOf(previous: Assembly, next: Assembly, parting: DivergencePoint): AssemblyDifference["outcome"] {
  if (parting.what === "nothing") return "none"
  if (endsAt(previous.messages, next.messages, parting)) return "extended"
  return endsAt(next.messages, previous.messages, parting) ? "shortened" : "changed"
}

function rolesAt(previous: Assembly, next: Assembly, { message }: DivergencePoint): AssemblyDifference["roles"] {
  const [old, young] = [previous.messages[message], next.messages[message]]
  return { ...(old ? { previous: old.role } : {}), ...(young ? { next: young.role } : {}) }
}

function tokensBefore({ spans }: Assembly, { message, offset }: DivergencePoint): number {
  let tokens = 0
  let start = 0
  for (const span of spans) {
    if (span.message > message) break
    if (span.message === message && start + span.text.length > offset)
      return tokens + Math.floor((span.tokens * (offset - start)) / span.text.length)
    tokens += span.tokens
    if (span.message === message) start += span.text.length
  }
  return tokens
}

/** The span that made two requests differ. */
export interface ChangedSpan extends Pick<Span, "key" | "part" | "trust" | "stability" | "source" | "message"> {
  /** UTF-16 offset in its message's content where it begins. */
  readonly offset: number
  /** `added`: its layer stands in the next request only; `removed`: in the previous one only; `changed`, `moved`: in both. */
  readonly change: "added" | "removed" | "changed" | "moved"
}

/** A span and where it begins in its message. */
interface PlacedSpan {
  readonly span: Span
  readonly start: number
}

/** Who is to blame for a difference; undefined where no span stands there, as in a message that only makes a native call. */
function findChangedSpan(previous: Assembly, next: Assembly, parting: DivergencePoint): ChangedSpan | undefined {
  const [before, after] = [spanAround(previous, parting), spanAround(next, parting)]
  const [old, young] = [before.at, after.at]
  if (!old || !young)
    return young ? placed(young, wholly(young, parting, "added")) : old && placed(old, wholly(old, parting, "removed"))
  if (isSame(old.span, young.span)) return placed(lessStable(young, old), "changed")
  // What grew or shrank at its end goes on where the other request has its neighbour already.
  if (before.ending && isSame(before.ending.span, young.span)) return placed(young, "changed")
  if (after.ending && isSame(after.ending.span, old.span)) return placed(old, "changed")
  const came = !previous.spans.some((span) => isSame(span, young.span))
  const went = !next.spans.some((span) => isSame(span, old.span))
  // Where one took the other's place, a broken promise tells more than a change that was to be expected.
  if (came && !(went && isStabler(old, young))) return placed(young, "added")
  if (went) return placed(old, "removed")
  return placed(lessStable(young, old), "moved")
}

/** True for what claims to stay as it is for at least a session. */
export function claimsToBeStable(stability: Stability): boolean {
  return stability === "global" || stability === "session"
}

/** The span that goes on at a place, and the one that ends there though it began before it. */
function spanAround({ spans }: Assembly, { message, offset }: DivergencePoint): { at?: PlacedSpan; ending?: PlacedSpan } {
  let start = 0
  let ending: PlacedSpan | undefined
  for (const span of spans) {
    if (span.message < message) continue
    if (span.message > message) break
    const end = start + span.text.length
    if (end > offset) return { at: { span, start }, ...(ending ? { ending } : {}) }
    if (end === offset) ending = { span, start }
    start = end
  }
  return ending ? { ending } : {}
}

/** A layer is known by its key, a prompt file's own text by its place in the file. */
function isSame(a: Span, b: Span): boolean {
  if (a.key !== b.key) return false
  return a.key !== "" || (a.source?.file === b.source?.file && a.source?.line === b.source?.line)
}

/** What began before the place has only grown or shrunk there. */
function wholly({ start }: PlacedSpan, { offset }: DivergencePoint, change: "added" | "removed"): ChangedSpan["change"] {
  return start < offset ? "changed" : change
}

/** The one that changes more often is the likelier to have moved the other; equals: the first. */
function lessStable(a: PlacedSpan, b: PlacedSpan): PlacedSpan {
  return isStabler(a, b) ? b : a
}

function isStabler(a: PlacedSpan, b: PlacedSpan): boolean {
  return stabilities.indexOf(a.span.stability) < stabilities.indexOf(b.span.stability)
}

function placed({ span, start }: PlacedSpan, change: ChangedSpan["change"]): ChangedSpan {
  const { key, part, trust, stability, message, source } = span
  return { key, part, trust, stability, message, offset: start, change, ...(source ? { source } : {}) }
}

/** The characters around the place where two requests part: whole graphemes, on one line, shortened. */
export interface Excerpt {
  /** What stands before it in both; `…` in front where there is more. */
  readonly shared: string
  /** What stands behind it in the previous request, `…` behind where there is more; empty where its message ends. */
  readonly previous: string
  readonly next: string
}

/** UTF-16 units shown on either side. */
const aroundUnits = 48

/** Cuts the excerpt out of both; a grapheme that only begins the same is shown whole on both sides. */
function excerptAround(previous: Assembly, next: Assembly, { message, offset }: DivergencePoint): Excerpt {
  const [old, young] = [previous, next].map(({ messages }) => messages[message]?.content ?? "") as [string, string]
  const at = Math.min(graphemeBoundaryBefore(old, offset), graphemeBoundaryBefore(young, offset))
  return { shared: endOf(young.slice(0, at)), previous: beginningOf(old, at), next: beginningOf(young, at) }
}

function endOf(text: string): string {
  const from = graphemeBoundaryAfter(text, text.length - aroundUnits)
  return (from > 0 ? "…" : "") + oneLine(text.slice(from))
}

function beginningOf(text: string, at: number): string {
  return oneLine(text.slice(at), aroundUnits)
}

/** Where two lists of messages part. Everything before is equal, in both and in the same place. */
export interface DivergencePoint {
  /** Index of the first message that differs; the length of the shorter list where it is the beginning of the other. */
  readonly message: number
  /** UTF-16 offset in that message's content; never inside a surrogate pair. */
  readonly offset: number
  /** What differs there; `message`: one list ends. */
  readonly what: "nothing" | "text" | "role" | "calls" | "message"
}

/** Finds where two lists of messages part; reads each character once. */
export function findParting(previous: readonly Message[], next: readonly Message[]): DivergencePoint {
  const shorter = Math.min(previous.length, next.length)
  for (let message = 0; message < shorter; message++) {
    const [a, b] = [previous[message], next[message]]
    if (!a || !b || a === b) continue
    if (a.role !== b.role) return { message, offset: 0, what: "role" }
    // A call's id stands before what answers it, calls stand after the text that makes them.
    if (a.toolCallId !== b.toolCallId) return { message, offset: 0, what: "calls" }
    if (a.content !== b.content) return { message, offset: sharedUnits(a.content, b.content), what: "text" }
    if (!sameCalls(a.toolCalls, b.toolCalls)) return { message, offset: a.content.length, what: "calls" }
  }
  return { message: shorter, offset: 0, what: previous.length === next.length ? "nothing" : "message" }
}

/** True when a list of messages ends where it parts from another one. */
function endsAt(messages: readonly Message[], other: readonly Message[], { message, offset, what }: DivergencePoint): boolean {
  if (message >= messages.length) return true
  const [last, same] = [messages[message], other[message]]
  if (what !== "text" || message !== messages.length - 1 || !last || !same) return false
  return offset === last.content.length && sameCalls(last.toolCalls, same.toolCalls)
}

const runUnits = 1024

/** How many UTF-16 units two texts begin with in common, whole characters only. */
export function sharedUnits(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let shared = 0
  // Whole runs are compared at once, which is much faster than unit by unit.
  while (shared + runUnits <= shorter && a.slice(shared, shared + runUnits) === b.slice(shared, shared + runUnits))
    shared += runUnits
  while (shared < shorter && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  return isInsidePair(a, shared) || isInsidePair(b, shared) ? shared - 1 : shared
}

function isInsidePair(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff
}

function sameCalls(a: readonly ToolCall[] = [], b: readonly ToolCall[] = []): boolean {
  return a.length === b.length && a.every((call, index) => isSameCall(call, b[index]))
}

function isSameCall(a: ToolCall, b: ToolCall | undefined): boolean {
  return a.id === b?.id && a.name === b.name && a.args === b.args
}
