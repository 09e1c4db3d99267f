import type { HistoryMessage } from "../../../../core/conversation.ts"
import { parsedJson } from "../../../../core/json-access.ts"
import { onOneLine } from "../../../../prompt/encode/line-breaks.ts"
import type { Template } from "../../../../prompt/template/ast.ts"
import { renderTemplate } from "../../../../prompt/template/render-template.ts"
import type { EventRecord } from "../../events/event-record.ts"
import { shorten } from "../../shorten-by-rule.ts"
import { cutToWidth } from "../../text-width.ts"

/** The text and importance of an event, written by a rule or a model. */
export interface WrittenEvent {
  readonly text: string
  /** From 0 to 10. */
  readonly importance: number
}

/** The widths of what was said and answered in an event by rule, and of each event in a summary by rule. */
const widths = { heard: 60, answered: 40, summarised: 72 } as const
const leastImportance = 2

/**
 * Writes the event of a topic by rule, in the words of the agent (R20): the first message of the user and the last one of the agent, each
 * cut short. Its importance is 2, and one more for each doubling of the exchanges. It is at most 7, because a rule does not know what
 * matters. `form` is the template of the text.
 */
export function writeTopicByRule(messages: readonly HistoryMessage[], form: Template): WrittenEvent {
  const spoken = messages.filter(({ text }) => text.trim() !== "")
  const first = spoken.find(({ role }) => role === "user")
  const last = spoken.findLast(({ role }) => role === "assistant")
  const text = renderTemplate(form, {
    name: first && onOneLine(first.speaker.name),
    heard: first && cutToWidth(onOneLine(first.text), widths.heard),
    answered: last && cutToWidth(onOneLine(last.text), widths.answered),
  })
  const exchanges = Math.max(1, spoken.length / 2)
  return { text, importance: Math.min(7, leastImportance + Math.log2(exchanges)) }
}

/** How many events the summary of a period by rule tells. */
const told = { day: 3, week: 3, month: 4, year: 5 } as const

/**
 * The events that a summary by rule tells: the most important ones, in order of time. Of equals the one farthest from those already
 * taken, so that a month of equal topics is told from its first day to its last.
 */
export function chooseByRule<T extends Pick<EventRecord, "importance">>(
  events: readonly T[],
  grain: keyof typeof told,
): readonly T[] {
  const taken: number[] = []
  const distance = (at: number): number => Math.min(...taken.map((other) => Math.abs(other - at)))
  while (taken.length < Math.min(told[grain], events.length)) {
    const left = [...events.keys()].filter((at) => !taken.includes(at))
    const most = Math.max(...left.map((at) => events[at]?.importance ?? 0))
    const equals = left.filter((at) => events[at]?.importance === most)
    taken.push(equals.reduce((best, at) => (distance(at) > distance(best) ? at : best)))
  }
  return events.filter((_, at) => taken.includes(at))
}

/** Writes the summary of a period by rule: the begin of each event, one after the other. Its importance is the highest of theirs. */
export function writeRollUpByRule(events: readonly Pick<EventRecord, "text" | "importance">[]): WrittenEvent {
  const text = events.map((event) => cutToWidth(onOneLine(event.text), widths.summarised)).join(" ")
  return { text, importance: Math.max(0, ...events.map(({ importance }) => importance)) }
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
