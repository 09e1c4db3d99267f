import type { HistoryMessage } from "../../../../core/conversation.ts"
import { listOf, numberOr, parsedJson, recordOf, stringOf } from "../../../../core/json-access.ts"
import { onOneLine } from "../../../../prompt/encode/line-breaks.ts"
import type { ToolWords } from "../../../../prompt/tools/tool-words.ts"
import { headOf, shorten } from "../../../services/shorten-by-rule.ts"
import { bestSentences, type Judgements } from "../../events/best-sentences.ts"
import type { EventRecord } from "../../events/event-record.ts"
import { cutToWidth, textWidth } from "../../text-width.ts"

/** The text and importance of an event, written by a rule or a model. */
export interface WrittenEvent {
  readonly text: string
  /** From 0 to 10. */
  readonly importance: number
}

/** The widths of what an event by rule quotes, and of each event in a summary by rule. */
const widths = { quoted: 100, summarised: 72 } as const
const leastImportance = 2

/**
 * Writes the event of a topic by rule: what was said in it that tells most, by speaker, in the words of the agent (R20, H1). Its
 * importance is that of the best judged turn it quotes. Without a judgement it is 2 and one more for each doubling of the words that
 * carry something, at most 7, because a rule does not know what matters. Undefined for small talk. `form` is the template of the text.
 */
export function writeTopicByRule(
  messages: readonly HistoryMessage[],
  form: ToolWords["say"],
  judged: Judgements = new Map(),
): WrittenEvent | undefined {
  const best = bestSentences(messages, widths.quoted, judged)
  if (best.length === 0) return undefined
  const speeches = Map.groupBy(best, ({ message }) => message.speaker.id)
  const text = headOf(
    [...speeches.values()].map((speech) => {
      const said = onOneLine(headOf(speech.map(({ text }, at) => (at < speech.length - 1 ? ended(text) : text))))
      const [first] = speech
      const heard = { name: onOneLine(first?.message.speaker.name ?? ""), heard: said }
      return form(first?.message.role === "user" ? heard : { answered: said })
    }),
  )
  const given = best.flatMap(({ message }) => judged.get(message.turnId)?.importance ?? [])
  const worth = Math.max(...best.map((sentence) => sentence.worth))
  return { text, importance: given.length > 0 ? Math.max(...given) : Math.min(7, leastImportance + Math.log2(1 + worth)) }
}

/** A sentence with a mark at its end, so that another one can follow. */
function ended(text: string): string {
  return /[\p{P}\p{S}]$/u.test(text) ? text : `${text}${/\p{L}$/u.test(text) && textWidth(text.slice(-1)) > 1 ? "。" : "."}`
}

/** How many events the summary of a period by rule tells. */
const told = { day: 3, week: 3, month: 4, year: 5 } as const
/** By so much an event is less important for each time that its text came up. It decides between equals alone. */
const leastWorth = 1e-6

/**
 * The events that a summary by rule tells: the most important ones, in order of time, each text once. Of equals one whose text came up
 * least often, and of these the one farthest from those already taken, so that a month of equal topics is told from its first day to its
 * last.
 */
export function chooseByRule<T extends Pick<EventRecord, "text" | "importance">>(
  events: readonly T[],
  grain: keyof typeof told,
): readonly T[] {
  const taken: number[] = []
  const byText = Map.groupBy(events, ({ text }) => text)
  const worths = events.map(({ text, importance }) => importance - (byText.get(text)?.length ?? 0) * leastWorth)
  const distance = (at: number): number => Math.min(...taken.map((other) => Math.abs(other - at)))
  while (taken.length < Math.min(told[grain], byText.size)) {
    const left = [...events.keys()].filter((at) => !taken.some((other) => events[other]?.text === events[at]?.text))
    const most = Math.max(...left.map((at) => worths[at] ?? 0))
    const equals = left.filter((at) => worths[at] === most)
    taken.push(equals.reduce((best, at) => (distance(at) > distance(best) ? at : best)))
  }
  return events.filter((_, at) => taken.includes(at))
}

/** Writes the summary of a period by rule: the begin of each event, one after the other. Its importance is the highest of theirs. */
export function writeRollUpByRule(events: readonly Pick<EventRecord, "text" | "importance">[]): WrittenEvent {
  const text = events.map((event) => beginOf(onOneLine(event.text))).join(" ")
  return { text, importance: Math.max(0, ...events.map(({ importance }) => importance)) }
}

/** A longer word is cut. */
const longestWord = 20

/** The beginning of an event for a summary, without a comma at its end. It ends with a whole word, and closes its quotation. */
function beginOf(text: string): string {
  const cut = cutToWidth(text, widths.summarised)
  if (cut === text) return text
  const at = cut.length - 1
  const start = new Intl.Segmenter("zh", { granularity: "word" }).segment(text).containing(at)?.index ?? at
  const words = at - start > longestWord ? cut : `${text.slice(0, start).replace(/[\s,，、;；:：]+$/, "")}…`
  const quoted = words.lastIndexOf("“") > words.lastIndexOf("”") && !words.endsWith("“…")
  return quoted ? `${words}”` : words.replace(/(?<=”)[^”]*$/, "…")
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
  const items = listOf(value).slice(0, maxTopics)
  return items.flatMap((item): WrittenTopic[] => {
    const { event, importance, message, parts } = recordOf(item)
    const text = shorten(stringOf(event).replace(/\s+/g, " "), maxTextCharacters)
    if (text === "") return []
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

/** The JSON between the first opening and the last closing bracket, because models often write text around it. */
function jsonIn(text: string, open: string, close: string): unknown {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close)]
  return start < 0 || end < start ? undefined : parsedJson(text.slice(start, end + 1))
}
