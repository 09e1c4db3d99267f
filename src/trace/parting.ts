import type { Message, ToolCall } from "../core/message.ts"

/** Where two lists of messages part. Everything before is equal, in both and in the same place. */
export interface Parting {
  /** Index of the first message that differs; the length of the shorter list where it is the beginning of the other. */
  readonly message: number
  /** UTF-16 offset in that message's content; never inside a surrogate pair. */
  readonly offset: number
  /** What differs there; `message`: one list ends. */
  readonly what: "nothing" | "text" | "role" | "calls" | "message"
}

/** Finds where two lists of messages part; reads each character once. */
export function findParting(previous: readonly Message[], next: readonly Message[]): Parting {
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
export function endsAt(messages: readonly Message[], other: readonly Message[], { message, offset, what }: Parting): boolean {
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
