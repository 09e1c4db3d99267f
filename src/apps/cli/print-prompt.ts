import { type Assembly, type Span, spanRuns } from "../../core/span.ts"
import { terminalLine, terminalText } from "../../prompt/encode/terminal-text.ts"
import { printRoom } from "../../trace/print-assembly.ts"
import { asWritten } from "../../trace/table.ts"
import type { Paint } from "./io.ts"

/**
 * Prints a request with a heading for every section: its key, tokens, source and author. All other lines are those of the
 * request. `same line` in a heading marks a section that begins in the middle of a line.
 */
export function printPrompt(assembly: Assembly, paint: Paint, say = asWritten): string {
  const messages = assembly.messages.map(({ role }, index) => {
    const sections = promptSections(assembly, index)
    const tokens = sections.reduce((sum, section) => sum + section.tokens, 0)
    return `${paint("bold", `══ ${role} · ${say(amount(tokens, assembly))}`)}\n${printSections(sections, assembly, { paint, say })}`
  })
  const left = absent(assembly).map((parts) => paint("yellow", `── ${parts.map(say).join(" · ")}`))
  return [...messages, ...left, paint("bold", totals(assembly, say))].join("\n")
}

/** Prints a request without headings. Several messages are each printed under their role. */
export function printMessages({ messages }: Assembly, paint: Paint): string {
  if (messages.length === 1) return terminalText(messages[0]?.content ?? "")
  return messages.map(({ role, content }) => `${paint("bold", `══ ${role}`)}\n${terminalText(content)}`).join("\n\n")
}

/** The size of a request, in one line; in another one, what its window of history leaves of the budget. */
export function totals(assembly: Assembly, say = asWritten): string {
  const { messages, tokens, overheadTokens, exact, windowRoom } = assembly
  const room = windowRoom ? `\n${say(printRoom(windowRoom))}` : ""
  const count = messages.length === 1 ? "1 message" : `${messages.length} messages`
  const size = overheadTokens > 0 ? `${tokens} tokens + ${overheadTokens} overhead` : `${tokens} tokens`
  return `${[count, size, exact ? "exact" : "estimated"].map(say).join(" · ")}${room}`
}

type PromptPainter = { readonly paint: Paint; readonly say: typeof asWritten }

function printSections(sections: readonly PromptSection[], assembly: Assembly, { paint, say }: PromptPainter): string {
  const lines: string[] = []
  let openLine = false
  for (const section of sections) {
    const text = terminalText(section.text)
    const inLine = openLine && !text.startsWith("\n")
    // The heading ends the line before it, so the section's own line break is not printed.
    const shown = openLine && text.startsWith("\n") ? text.slice(1) : text
    lines.push(paint("cyan", heading(section, assembly, inLine).map(say).join(" · ")))
    if (text !== "") openLine = !text.endsWith("\n")
    // A line of the prompt that looks like a heading gets a backslash.
    if (shown !== "") lines.push((openLine ? shown : shown.slice(0, -1)).replace(/^(?=──|══)/gm, "\\"))
  }
  return lines.join("\n")
}

function heading({ key, tokens, source, trust, fate }: PromptSection, assembly: Assembly, inLine: boolean): string[] {
  const parts = [`── ${terminalLine(key)}`, amount(tokens, assembly), source, trust, fate, inLine ? "same line" : ""]
  return parts.filter((part) => part !== "")
}

function amount(tokens: number, { exact }: Assembly): string {
  const counted = exact ? `${tokens}` : `~${tokens}`
  return tokens === 1 ? `${counted} token` : `${counted} tokens`
}

/** Lines for everything that is not in the request, with the reason. */
function absent({ decisions }: Assembly): string[][] {
  return decisions
    .filter(({ fate }) => fate === "dropped" || fate === "unplaced")
    .map(({ key, fate, fromTokens, reason }) =>
      [terminalLine(key), fate, `${fromTokens} tokens`, reason].filter((part) => part !== ""),
    )
}

/** Neighbouring spans with the same key, in one message. */
interface PromptSection {
  /** The injection's key; `(frame)` for the prompt file's own text. */
  readonly key: string
  readonly text: string
  readonly tokens: number
  /** `file:first–last` line of each source file; empty if unknown. */
  readonly source: string
  /** The author of its values, or of the frame if it has no values. */
  readonly trust: string
  /** `shortened` with the reason, or empty. */
  readonly fate: string
}

/** Splits a message of a request into sections, in order. Joined, their texts are the message's content. */
export function promptSections(assembly: Assembly, message: number): PromptSection[] {
  const spans = assembly.spans.filter((span) => span.message === message)
  return spanRuns(spans).map((run) => section(run, assembly))
}

function section(spans: readonly [Span, ...Span[]], { decisions }: Assembly): PromptSection {
  const { key } = spans[0]
  const content = spans.filter(({ part }) => part === "content")
  const decision = decisions.find((candidate) => candidate.key === key && candidate.fate === "shortened")
  return {
    key: key === "" ? "(frame)" : key,
    text: spans.map(({ text }) => text).join(""),
    tokens: spans.reduce((sum, { tokens }) => sum + tokens, 0),
    source: placesOf(spans),
    trust: [...new Set((content.length > 0 ? content : spans).map(({ trust }) => trust))].join(", "),
    fate: decision ? `shortened from ${decision.fromTokens} (${decision.reason})` : "",
  }
}

/** The source lines of spans. Blank spans are left out: they may be line breaks that no file has. */
function placesOf(spans: readonly Span[]): string {
  const lines = new Map<string, { readonly first: number; readonly last: number }>()
  for (const { text, source } of spans) {
    if (source === undefined || text.trim() === "") continue
    const { first, last } = lines.get(source.file) ?? { first: source.line, last: source.line }
    lines.set(source.file, { first: Math.min(first, source.line), last: Math.max(last, source.line) })
  }
  return [...lines].map(([file, { first, last }]) => `${file}:${first}${first === last ? "" : `–${last}`}`).join(", ")
}
