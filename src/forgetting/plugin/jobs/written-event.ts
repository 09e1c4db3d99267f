import type { HistoryMessage } from "../../../core/history.ts"
import type { EventRecord } from "../../../forgetting/events/event-record.ts"
import { topOf } from "../../../forgetting/ranking.ts"
import { shorten } from "../../../forgetting/shorten-by-rule.ts"

/** What an event says, and how much it matters. */
export interface WrittenEvent {
  readonly text: string
  /** From 0 to 10. */
  readonly importance: number
}

const shareCharacters = 80
const leastImportance = 2

/**
 * An event by rule, from what was said in its topic: how it began and what the agent said last, each cut short. Importance is how
 * much was said: 2, and one more with each doubling of the exchanges; at most 7, as rules do not know what matters.
 */
export function writeTopicByRule(messages: readonly HistoryMessage[]): WrittenEvent {
  const spoken = messages.filter(({ text }) => text.trim() !== "")
  const first = spoken.find(({ role }) => role === "user") ?? spoken[0]
  const last = spoken.findLast((message) => message.role === "assistant" && message !== first)
  const lines = [first, last].filter((message) => message !== undefined).map(lineOf)
  const exchanges = Math.max(1, spoken.length / 2)
  return { text: lines.join(" — "), importance: Math.min(7, leastImportance + Math.log2(exchanges)) }
}

/** A stretch of time by rule: its most important records, in order of time. It matters as much as the most important of them. */
export function writeRollUpByRule(
  children: readonly Pick<EventRecord, "text" | "importance">[],
  maxCharacters: number,
): WrittenEvent {
  const best = new Set(topOf(children, Math.max(1, Math.floor(maxCharacters / shareCharacters)), ({ importance }) => importance))
  const kept = children.filter((child) => best.has(child))
  const each = Math.max(1, Math.floor(maxCharacters / Math.max(1, kept.length)) - 1)
  const text = kept.map((child) => shorten(oneLine(child.text), each)).join(" ")
  return { text, importance: Math.max(0, ...children.map(({ importance }) => importance)) }
}

function lineOf({ speaker, text }: HistoryMessage): string {
  return `${oneLine(speaker.name)}: ${shorten(oneLine(text), shareCharacters)}`
}

/** White space of every kind is one space. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ")
}

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
