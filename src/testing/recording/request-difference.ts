import type { Message } from "../../core/message.ts"
import { lineDifference, markedLine } from "./line-difference.ts"
import type { RecordedRequest } from "./recording.ts"

const maxDifferences = 8

/** How a request differs from a recorded one, for people: settings, tools, then message by message. Empty where it does not. */
export function requestDifference(recorded: RecordedRequest, now: RecordedRequest): string {
  const all = [...settingDifferences(recorded, now), ...toolDifferences(recorded, now), ...messageDifferences(recorded, now)]
  const more = all.length > maxDifferences ? [`… and ${all.length - maxDifferences} more differences.`] : []
  return [...all.slice(0, maxDifferences), ...more].join("\n\n")
}

function settingDifferences(recorded: RecordedRequest, now: RecordedRequest): readonly string[] {
  const names = ["responseFormat", "maxOutputTokens", "temperature"] as const
  return names
    .filter((name) => recorded[name] !== now[name])
    .map((name) => `${name}: recorded ${recorded[name] ?? "nothing"}, now ${now[name] ?? "nothing"}.`)
}

function toolDifferences({ tools: recorded = [] }: RecordedRequest, { tools: now = [] }: RecordedRequest): readonly string[] {
  const names = [...new Set([...recorded, ...now].map(({ name }) => name))]
  const differences = names.flatMap((name) => {
    const was = recorded.find((tool) => tool.name === name)
    const is = now.find((tool) => tool.name === name)
    if (!was) return [`Tool ${name}: new.`]
    if (!is) return [`Tool ${name}: recorded, and missing now.`]
    return textDifference(`Tool ${name}`, pretty(was), pretty(is))
  })
  const isReordered = differences.length === 0 && JSON.stringify(recorded) !== JSON.stringify(now)
  return isReordered ? [`The tools come in another order: ${now.map(({ name }) => name).join(", ")}.`] : differences
}

/** Messages are paired from both ends, so that one more in the middle does not make all after it differ. */
function messageDifferences({ messages: recorded }: RecordedRequest, { messages: now }: RecordedRequest): readonly string[] {
  const shorter = Math.min(recorded.length, now.length)
  const isSame = (a: Message | undefined, b: Message | undefined) => JSON.stringify(a) === JSON.stringify(b)
  let head = 0
  while (head < shorter && isSame(recorded[head], now[head])) head++
  let tail = 0
  while (tail < shorter - head && isSame(recorded.at(-1 - tail), now.at(-1 - tail))) tail++
  const was = recorded.slice(head, recorded.length - tail)
  const is = now.slice(head, now.length - tail)
  return Array.from({ length: Math.max(was.length, is.length) }, (_, at) => {
    const place = `Message ${head + at + 1} of ${is[at] ? now.length : recorded.length}`
    return messageDifference(place, was[at], is[at])
  }).flat()
}

function messageDifference(place: string, was: Message | undefined, is: Message | undefined): readonly string[] {
  if (!was) return is ? [`${place} (${is.role}): new.\n${head("+", is)}`] : []
  if (!is) return [`${place} (${was.role}): recorded, and missing now.\n${head("-", was)}`]
  if (was.role !== is.role) return [`${place}: recorded as ${was.role}, now ${is.role}.\n${head("-", was)}\n${head("+", is)}`]
  return [
    ...textDifference(`${place} (${is.role})`, was.content, is.content),
    ...textDifference(`${place} (${is.role}), its tool calls`, pretty(was.toolCalls ?? []), pretty(is.toolCalls ?? [])),
    ...textDifference(`${place} (${is.role}), the call it answers`, was.toolCallId ?? "", is.toolCallId ?? ""),
  ]
}

function textDifference(place: string, was: string, is: string): readonly string[] {
  if (was === is) return []
  const { line, shown } = lineDifference(was, is)
  return [`${place}, line ${line}:\n${shown}`]
}

/** The first line of a message. */
function head(mark: "-" | "+", { content }: Message): string {
  return markedLine(mark, content.split("\n", 1)[0])
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
