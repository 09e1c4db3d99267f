import type { HistoryMessage } from "../../../core/conversation.ts"
import { parsedJson } from "../../../core/json-access.ts"
import { onOneLine } from "../../../encode/line-breaks.ts"
import type { EventRecord } from "../../../forgetting/events/event-record.ts"
import { topOf } from "../../../forgetting/ranking.ts"
import { shorten } from "../../../forgetting/shorten-by-rule.ts"

/** The text and importance of an event, written by a rule or a model. */
export interface WrittenEvent {
  readonly text: string
  /** From 0 to 10. */
  readonly importance: number
}

const shareCharacters = 80
const leastImportance = 2

/**
 * Writes the event of a topic by rule: the first message of the user and the last one of the agent, each cut short. Its importance is 2,
 * and one more for each doubling of the exchanges. It is at most 7, because a rule does not know what matters.
 */
export function writeTopicByRule(messages: readonly HistoryMessage[]): WrittenEvent {
  const spoken = messages.filter(({ text }) => text.trim() !== "")
  const first = spoken.find(({ role }) => role === "user") ?? spoken[0]
  const last = spoken.findLast((message) => message.role === "assistant" && message !== first)
  const lines = [first, last]
    .filter((message) => message !== undefined)
    .map(({ speaker, text }) => `${onOneLine(speaker.name)}: ${shorten(onOneLine(text), shareCharacters)}`)
  const exchanges = Math.max(1, spoken.length / 2)
  return { text: lines.join(" — "), importance: Math.min(7, leastImportance + Math.log2(exchanges)) }
}

/** Writes the summary of a period by rule: its most important records in order of time. Its importance is the highest of theirs. */
export function writeRollUpByRule(
  children: readonly Pick<EventRecord, "text" | "importance">[],
  maxCharacters: number,
): WrittenEvent {
  const best = new Set(topOf(children, Math.max(1, Math.floor(maxCharacters / shareCharacters)), ({ importance }) => importance))
  const kept = children.filter((child) => best.has(child))
  const each = Math.max(1, Math.floor(maxCharacters / Math.max(1, kept.length)) - 1)
  const text = kept.map((child) => shorten(onOneLine(child.text), each)).join(" ")
  return { text, importance: Math.max(0, ...children.map(({ importance }) => importance)) }
}

/** A topic that a model wrote. `message` is the number, from 1, of the message with which it begins. */
export interface WrittenTopic extends WrittenEvent {
  readonly message: number
  readonly parts: readonly WrittenTopic[]
}

const maxTextCharacters = 500
const maxTopics = 12
const maxDepth = 3
const defaultImportance = 3

/** Reads `[{"event", "importance", "message", "parts"}]` in a model's answer; `undefined` when it has no event. */
export function readTopics(answer: string): readonly WrittenTopic[] | undefined {
  const topics = topicsOf(jsonIn(answer, "[", "]"), 0)
  return topics.length === 0 ? undefined : topics
}

/** Reads `{"event", "importance"}` in a model's answer; `undefined` when it has no event. */
export function readRollUp(answer: string): WrittenEvent | undefined {
  const found = topicsOf([jsonIn(answer, "{", "}")], maxDepth)[0]
  return found && { text: found.text, importance: found.importance }
}

function topicsOf(value: unknown, depth: number): readonly WrittenTopic[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, maxTopics).flatMap((item: unknown): WrittenTopic[] => {
    if (typeof item !== "object" || item === null || !("event" in item) || typeof item.event !== "string") return []
    const text = shorten(item.event.replace(/\s+/g, " "), maxTextCharacters)
    if (text === "") return []
    const { importance, message, parts } = item as Readonly<Record<string, unknown>>
    return [
      {
        text,
        importance: numberOr(importance, defaultImportance),
        message: Math.max(1, numberOr(message, 1)),
        parts: depth < maxDepth ? topicsOf(parts, depth + 1) : [],
      },
    ]
  })
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise
}

/** The JSON between the first opening and the last closing bracket, because models often write text around it. */
function jsonIn(text: string, open: string, close: string): unknown {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close)]
  return start < 0 || end < start ? undefined : parsedJson(text.slice(start, end + 1))
}
