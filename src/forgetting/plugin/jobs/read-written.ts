import type { WrittenEvent } from "../../../forgetting/events/write-by-rule.ts"
import { shorten } from "../../../forgetting/shorten.ts"

/** An event that a model wrote: `message` is the number, from 1, of the message with which it begins. */
export interface WrittenTopic extends WrittenEvent {
  readonly message: number
  readonly parts: readonly WrittenTopic[]
}

const maxCharacters = 500
const maxTopics = 12
const maxDepth = 3
const defaultImportance = 3

/** Reads `[{"event", "importance", "message", "parts"}]` out of a model's answer; `undefined` where nothing of it is an event. */
export function readTopics(answer: string): readonly WrittenTopic[] | undefined {
  const topics = topicsOf(jsonIn(answer, "[", "]"), 0)
  return topics.length === 0 ? undefined : topics
}

/** Reads `{"event", "importance"}`. */
export function readRollUp(answer: string): WrittenEvent | undefined {
  return topicsOf([jsonIn(answer, "{", "}")], maxDepth)[0]
}

function topicsOf(value: unknown, depth: number): readonly WrittenTopic[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, maxTopics).flatMap((item: unknown): WrittenTopic[] => {
    if (typeof item !== "object" || item === null || !("event" in item) || typeof item.event !== "string") return []
    const text = shorten(item.event.replace(/\s+/g, " "), maxCharacters)
    const { importance, message, parts } = item as {
      readonly importance?: unknown
      readonly message?: unknown
      readonly parts?: unknown
    }
    const nested = depth < maxDepth ? topicsOf(parts, depth + 1) : []
    return text === ""
      ? []
      : [{ text, importance: numberOr(importance, defaultImportance), message: Math.max(1, numberOr(message, 1)), parts: nested }]
  })
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise
}

/** The JSON between the first opening and the last closing bracket; models like to say something around it. */
function jsonIn(text: string, open: string, close: string): unknown {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close)]
  if (start < 0 || end < start) return undefined
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    return undefined
  }
}
