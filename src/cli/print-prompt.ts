import type { Assembly } from "../core/span.ts"
import { type PromptSection, promptSections } from "./prompt-sections.ts"
import type { Paint } from "./style.ts"
import { oneLine, terminalText } from "./terminal-text.ts"

/**
 * A request as it is sent, every section under a heading with its key, tokens, origin and author. A section that begins in
 * the middle of a line says so. Headings aside, the lines are the request's.
 */
export function printPrompt(assembly: Assembly, paint: Paint): string {
  const messages = assembly.messages.map(({ role }, index) => {
    const sections = promptSections(assembly, index)
    const tokens = sections.reduce((sum, section) => sum + section.tokens, 0)
    return `${paint("bold", `══ ${role} · ${amount(tokens, assembly)}`)}\n${printSections(sections, assembly, paint)}`
  })
  return [...messages, ...absent(assembly).map((line) => paint("yellow", line)), paint("bold", totals(assembly))].join("\n")
}

/** A request as it is sent and nothing else; with several messages, each under its role. */
export function printMessages({ messages }: Assembly, paint: Paint): string {
  if (messages.length === 1) return terminalText(messages[0]?.content ?? "")
  return messages.map(({ role, content }) => `${paint("bold", `══ ${role}`)}\n${terminalText(content)}`).join("\n\n")
}

/** A request's size in one line. */
export function totals(assembly: Assembly): string {
  const { messages, tokens, overheadTokens, exact } = assembly
  const around = overheadTokens > 0 ? ` + ${overheadTokens} around them` : ""
  return `${messages.length} ${messages.length === 1 ? "message" : "messages"} · ${tokens} tokens${around} · ${exact ? "exact" : "estimated"}`
}

function printSections(sections: readonly PromptSection[], assembly: Assembly, paint: Paint): string {
  const lines: string[] = []
  let openLine = false
  for (const section of sections) {
    const text = terminalText(section.text)
    const inLine = openLine && !text.startsWith("\n")
    // The break that ends the line before is shown by the heading having a line of its own.
    const shown = openLine && text.startsWith("\n") ? text.slice(1) : text
    lines.push(paint("cyan", heading(section, assembly, inLine)))
    if (text !== "") openLine = !text.endsWith("\n")
    if (shown !== "") lines.push(unlikeHeadings(openLine ? shown : shown.slice(0, -1)))
  }
  return lines.join("\n")
}

/** A line of the prompt that would pass for a heading gets a leading `\\`. */
function unlikeHeadings(text: string): string {
  return text.replace(/^(?=──|══)/gm, "\\")
}

function heading({ key, tokens, source, trust, fate }: PromptSection, assembly: Assembly, inLine: boolean): string {
  const parts = [oneLine(key), amount(tokens, assembly), source, trust, fate, inLine ? "same line" : ""]
  return `── ${parts.filter((part) => part !== "").join(" · ")}`
}

function amount(tokens: number, { exact }: Assembly): string {
  return `${exact ? "" : "~"}${tokens} ${tokens === 1 ? "token" : "tokens"}`
}

/** What is not in the request, and why. */
function absent({ decisions }: Assembly): string[] {
  return decisions
    .filter(({ fate }) => fate === "dropped" || fate === "unplaced")
    .map(
      ({ key, fate, fromTokens, reason }) =>
        `── ${oneLine(key)} · ${fate} · ${fromTokens} tokens${reason === "" ? "" : ` · ${reason}`}`,
    )
}
