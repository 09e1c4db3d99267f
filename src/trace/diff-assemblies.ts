import { checkType } from "../core/check-options.ts"
import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../core/graphemes.ts"
import type { Source } from "../core/source.ts"
import type { Assembly, Message, MessageRole, Span, ToolCall } from "../core/span.ts"
import { type Stability, stabilities } from "../core/value.ts"
import { terminalLine } from "../prompt/encode/terminal-text.ts"

/** The difference between a request and the next one (S15). */
export interface AssemblyDifference extends DivergencePoint {
  /**
   * `none`: they are equal. `extended`: the next request begins with the whole previous one. `shortened`: the previous request
   * begins with the whole next one. `changed`: anything else.
   */
  readonly outcome: "none" | "extended" | "shortened" | "changed"
  /**
   * Tokens of the contents before the first difference, from the next request's spans. A span that only begins the same counts in
   * proportion to the equal length. `simulateCache` counts with the tokenizer.
   */
  readonly sharedTokens: number
  /** The span that made the difference; absent if they are equal, or if no span is there, as in a message of native calls. */
  readonly span?: ChangedSpan | undefined
  /** True if text changed whose stability is `global` or `session`: everything after it is lost for a provider's cache. */
  readonly brokeStable: boolean
  /** The role of the message with the first difference, in each request; absent where a request has ended. */
  readonly roles: { readonly previous?: MessageRole | undefined; readonly next?: MessageRole | undefined }
  readonly excerpt: Excerpt
}

/** Compares two requests, of any prompts, and names the first span that differs. Pure; linear in their text (S15). */
export function diffAssemblies(previous: Assembly, next: Assembly): AssemblyDifference {
  checkType("previous.messages of diffAssemblies", previous?.messages, "list")
  checkType("next.messages of diffAssemblies", next?.messages, "list")
  const parting = findParting(previous.messages, next.messages)
  const outcome = outcomeOf(previous, next, parting)
  const span = outcome === "none" ? undefined : findChangedSpan(previous, next, parting)
  return {
    outcome,
    ...parting,
    sharedTokens: tokensBefore(next, parting),
    span,
    brokeStable: outcome === "changed" && span !== undefined && claimsToBeStable(span.stability),
    roles: { previous: previous.messages[parting.message]?.role, next: next.messages[parting.message]?.role },
    excerpt: excerptAround(previous, next, parting),
  }
}

function outcomeOf(previous: Assembly, next: Assembly, parting: DivergencePoint): AssemblyDifference["outcome"] {
  if (parting.what === "nothing") return "none"
  if (endsAt(previous.messages, next.messages, parting)) return "extended"
  return endsAt(next.messages, previous.messages, parting) ? "shortened" : "changed"
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

/** The span that makes two requests differ. */
export interface ChangedSpan extends Pick<Span, "key" | "part" | "trust" | "stability" | "message"> {
  readonly source?: Source | undefined
  /** The start of the span: a UTF-16 offset in its message's content. */
  readonly offset: number
  /** `added`: only the next request has its layer. `removed`: only the previous one has it. `changed`, `moved`: both have it. */
  readonly change: "added" | "removed" | "changed" | "moved"
}

/** A span and its start in its message. */
type PlacedSpan = { readonly span: Span; readonly start: number }

/** The span that makes the difference; `undefined` if no span is there, as in a message that only makes a native call. */
function findChangedSpan(previous: Assembly, next: Assembly, parting: DivergencePoint): ChangedSpan | undefined {
  const [before, after] = [spanAround(previous, parting), spanAround(next, parting)]
  const [old, young] = [before.at, after.at]
  if (!old || !young)
    return young ? placed(young, wholly(young, parting, "added")) : old && placed(old, wholly(old, parting, "removed"))
  if (isSame(old.span, young.span)) return placed(lessStable(young, old), "changed")
  // One span grew or shrank at its end: it goes on at a place where the other request already has its neighbour.
  if (before.ending && isSame(before.ending.span, young.span)) return placed(young, "changed")
  if (after.ending && isSame(after.ending.span, old.span)) return placed(old, "changed")
  const came = !previous.spans.some((span) => isSame(span, young.span))
  const went = !next.spans.some((span) => isSame(span, old.span))
  // If one span replaced the other, the one that claimed to be more stable is named.
  if (came && !(went && isStabler(old, young))) return placed(young, "added")
  if (went) return placed(old, "removed")
  return placed(lessStable(young, old), "moved")
}

/** True for a stability that promises no change for at least a session. */
export function claimsToBeStable(stability: Stability): boolean {
  return stability === "global" || stability === "session"
}

/** The span that covers a place (`at`), and the span that ends there (`ending`). */
function spanAround(
  { spans }: Assembly,
  { message, offset }: DivergencePoint,
): { at?: PlacedSpan; ending: PlacedSpan | undefined } {
  let start = 0
  let ending: PlacedSpan | undefined
  for (const span of spans) {
    if (span.message < message) continue
    if (span.message > message) break
    const end = start + span.text.length
    if (end > offset) return { at: { span, start }, ending }
    if (end === offset) ending = { span, start }
    start = end
  }
  return { ending }
}

/** Compares spans: layers by their keys, text of a prompt file by its line in the file. */
function isSame(a: Span, b: Span): boolean {
  if (a.key !== b.key) return false
  return a.key !== "" || (a.source?.file === b.source?.file && a.source?.line === b.source?.line)
}

/** A span that began before the place was not added or removed: it only grew or shrank there. */
function wholly({ start }: PlacedSpan, { offset }: DivergencePoint, change: "added" | "removed"): ChangedSpan["change"] {
  return start < offset ? "changed" : change
}

/** The span that changes more often, because it probably moved the other one; the first if both are equal. */
function lessStable(a: PlacedSpan, b: PlacedSpan): PlacedSpan {
  return isStabler(a, b) ? b : a
}

function isStabler(a: PlacedSpan, b: PlacedSpan): boolean {
  return stabilities.indexOf(a.span.stability) < stabilities.indexOf(b.span.stability)
}

function placed({ span, start }: PlacedSpan, change: ChangedSpan["change"]): ChangedSpan {
  const { key, part, trust, stability, message, source } = span
  return { key, part, trust, stability, message, source, offset: start, change }
}

/** The characters around the first difference: whole graphemes, on one line, shortened. */
export interface Excerpt {
  /** The text before it, which both have; it begins with `…` if there is more. */
  readonly shared: string
  /** The text after it in the previous request; it ends with `…` if there is more, and is empty if the message ends. */
  readonly previous: string
  readonly next: string
}

/** The UTF-16 units that are shown on each side. */
const aroundUnits = 48

/** Makes the excerpt. A grapheme that is equal only at its beginning is shown as different, whole. */
function excerptAround(previous: Assembly, next: Assembly, { message, offset }: DivergencePoint): Excerpt {
  const [old, young] = [previous, next].map(({ messages }) => messages[message]?.content ?? "") as [string, string]
  const at = Math.min(graphemeBoundaryBefore(old, offset), graphemeBoundaryBefore(young, offset))
  return { shared: endOf(young.slice(0, at)), previous: beginningOf(old, at), next: beginningOf(young, at) }
}

function endOf(text: string): string {
  const from = graphemeBoundaryAfter(text, text.length - aroundUnits)
  return (from > 0 ? "…" : "") + terminalLine(text.slice(from))
}

function beginningOf(text: string, at: number): string {
  return terminalLine(text.slice(at), aroundUnits)
}

/** The first difference between two lists of messages. Everything before it is equal. */
export interface DivergencePoint {
  /** Index of the first message that differs; the length of the shorter list if the other one begins with it. */
  readonly message: number
  /** UTF-16 offset in that message's content; never inside a surrogate pair. */
  readonly offset: number
  /** The kind of difference; `message` means that one list ends. */
  readonly what: "nothing" | "text" | "role" | "calls" | "message"
}

/** Finds the first difference between two lists of messages. It reads each character once. */
export function findParting(previous: readonly Message[], next: readonly Message[]): DivergencePoint {
  const shorter = Math.min(previous.length, next.length)
  for (let message = 0; message < shorter; message++) {
    const [a, b] = [previous[message], next[message]]
    if (!a || !b || a === b) continue
    if (a.role !== b.role) return { message, offset: 0, what: "role" }
    // The id of an answered call counts as before the content, and the calls of a message as after it.
    if (a.toolCallId !== b.toolCallId) return { message, offset: 0, what: "calls" }
    if (a.content !== b.content) return { message, offset: sharedUnits(a.content, b.content), what: "text" }
    if (!sameCalls(a.toolCalls, b.toolCalls)) return { message, offset: a.content.length, what: "calls" }
  }
  return { message: shorter, offset: 0, what: previous.length === next.length ? "nothing" : "message" }
}

/** True if a list of messages ends at the first difference to another one. */
function endsAt(messages: readonly Message[], other: readonly Message[], { message, offset, what }: DivergencePoint): boolean {
  if (message >= messages.length) return true
  const [last, same] = [messages[message], other[message]]
  if (what !== "text" || message !== messages.length - 1 || !last || !same) return false
  return offset === last.content.length && sameCalls(last.toolCalls, same.toolCalls)
}

const [mostRunUnits, fewestRunUnits] = [1024, 32]

/** Counts the UTF-16 units that two texts share at their beginnings; surrogate pairs count whole. */
export function sharedUnits(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let shared = 0
  // To compare runs, and ever shorter ones at the end, is much faster than to compare unit by unit.
  for (let run = mostRunUnits; run >= fewestRunUnits; run /= 2)
    while (shared + run <= shorter && a.slice(shared, shared + run) === b.slice(shared, shared + run)) shared += run
  while (shared < shorter && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  return isInsidePair(a, shared) || isInsidePair(b, shared) ? shared - 1 : shared
}

function isInsidePair(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff
}

function sameCalls(a: readonly ToolCall[] = [], b: readonly ToolCall[] = []): boolean {
  const isSameCall = ({ id, name, args }: ToolCall, other: ToolCall | undefined): boolean =>
    id === other?.id && name === other.name && args === other.args
  return a.length === b.length && a.every((call, index) => isSameCall(call, b[index]))
}
