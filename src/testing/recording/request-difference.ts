import type { Message } from "../../core/span.ts"
import { escapeUnits } from "../../prompt/encode/inline.ts"
import type { RecordedRequest } from "./recording.ts"

const maxDifferences = 8

/** Describes how a request differs from a recorded one: settings, tools, then message by message. Empty if it does not. */
export function requestDifference(recorded: RecordedRequest, now: RecordedRequest): string {
  const all = [...settingDifferences(recorded, now), ...toolDifferences(recorded, now), ...messageDifferences(recorded, now)]
  const more = all.length > maxDifferences ? [`… and ${all.length - maxDifferences} more differences.`] : []
  return [...all.slice(0, maxDifferences), ...more].join("\n\n")
}

function settingDifferences(recorded: RecordedRequest, now: RecordedRequest): readonly string[] {
  const names = ["toolChoice", "responseFormat", "maxOutputTokens", "temperature"] as const
  const shown = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value ?? "nothing"))
  return names
    .filter((name) => shown(recorded[name]) !== shown(now[name]))
    .map((name) => `${name}: recorded ${shown(recorded[name])}, now ${shown(now[name])}.`)
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

/** Pairs messages from both ends, so that an additional message in the middle does not make all later ones differ. */
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

/** The first difference of two texts. */
interface LineDifference {
  /** 1-based. */
  readonly line: number
  /** The lines before it, the recorded line, the current line and the line after it. */
  readonly shown: string
}

const around = 2
const widthCharacters = 100

/** Finds the first line in which two texts differ. The texts must differ. */
function lineDifference(recorded: string, now: string): LineDifference {
  const [before, after] = [recorded.split("\n"), now.split("\n")]
  let at = 0
  while (before[at] === after[at]) at++
  const [was, is] = [before[at], after[at]]
  const from = clipStart(was ?? "", is ?? "")
  const quoted = differsInvisibly(was, is)
  const row = (mark: "-" | "+", line: string | undefined) => markedLine(mark, line, { from, quoted })
  const context = (line: string) => markedLine(" ", line)
  const next = before[at + 1] !== undefined && before[at + 1] === after[at + 1] ? [context(before[at + 1] ?? "")] : []
  const rows = [...before.slice(Math.max(0, at - around), at).map(context), row("-", was), row("+", is), ...next]
  return { line: at + 1, shown: rows.join("\n") }
}

/** Long lines are shown from shortly before the difference. */
function clipStart(was: string, is: string): number {
  let same = 0
  while (same < was.length && was[same] === is[same]) same++
  return same > widthCharacters / 2 ? same - widthCharacters / 2 : 0
}

function differsInvisibly(was: string | undefined, is: string | undefined): boolean {
  const visible = (line: string) => line.replace(/[\s\p{Cf}\p{Cc}]/gu, "")
  return was !== undefined && is !== undefined && visible(was) === visible(is)
}

/** A line after its mark, cut to a readable width; `undefined` is the end of the text. */
function markedLine(mark: "-" | "+" | " ", line: string | undefined, { from = 0, quoted = false } = {}): string {
  if (line === undefined) return `  ${mark} (the text ends here)`
  const clipped = line.slice(from, from + widthCharacters).toWellFormed()
  const text = quoted
    ? JSON.stringify(clipped).replace(/[^\S ]|[\p{Cf}\p{Cc}]/gu, escapeUnits)
    : clipped.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escapeUnits)
  return `  ${mark} ${from > 0 ? "…" : ""}${text}${from + widthCharacters < line.length ? "…" : ""}`
}
