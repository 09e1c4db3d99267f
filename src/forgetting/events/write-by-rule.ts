import type { HistoryMessage } from "../../core/history.ts"
import { shorten } from "../shorten.ts"
import { topOf } from "../top-of.ts"
import type { EventRecord } from "./event-record.ts"

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
