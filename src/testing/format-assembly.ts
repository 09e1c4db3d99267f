import { checkType } from "../core/check-options.ts"
import { formatSource } from "../core/source.ts"
import { type Assembly, type Message, spanRuns } from "../core/span.ts"
import { escapeUnits } from "../prompt/encode/inline.ts"

/**
 * Formats a prompt as Markdown for people: each message in a code block from which its content can be read back exactly, then
 * the source of every part, what was cut, and what was removed from untrusted text.
 */
export function formatAssembly(assembly: Assembly): string {
  checkType("assembly.messages of formatAssembly", assembly?.messages, "list")
  const { messages, decisions, sanitised } = assembly
  const cut = decisions
    .filter(({ fate }) => fate !== "kept")
    .map(({ key, fate, fromTokens, toTokens, reason }) => [key, fate, fromTokens, toTokens, reason])
  const removed = sanitised.map((found) => [found.key, found.removed, found.kinds.join(", ")])
  const blocks = [
    `# ${sizeOf(assembly)}`,
    ...messages.flatMap((message, at) => messageBlocks(message, { number: at + 1, tokens: tokensOf(assembly, at) })),
    ...section("Where it comes from", markdownTable(spanColumns, spanRows(assembly))),
    ...section("What was cut", markdownTable(["key", "fate", "from tokens", "to tokens", "reason"], cut)),
    ...section("What was taken out", markdownTable(["key", "characters", "kinds"], removed)),
  ]
  return `${blocks.join("\n\n")}\n`
}

function sizeOf({ messages, tokens, overheadTokens, exact }: Assembly): string {
  const overhead = overheadTokens > 0 ? ` + ${overheadTokens} around them` : ""
  return `${messages.length} ${messages.length === 1 ? "message" : "messages"}, ${exact ? "" : "about "}${tokens} tokens${overhead}`
}

function messageBlocks(
  message: Message,
  { number, tokens }: { readonly number: number; readonly tokens: number },
): readonly string[] {
  const answers = message.toolCallId === undefined ? "" : ` answering ${JSON.stringify(message.toolCallId)}`
  const calls = (message.toolCalls ?? []).map((call) => codeBlock(JSON.stringify(call, null, 2)))
  return [
    `## ${number}. ${message.role}${answers}, ${tokens} tokens`,
    codeBlock(message.content),
    ...(calls.length > 0 ? ["It calls:", ...calls] : []),
  ]
}

function tokensOf({ spans }: Assembly, message: number): number {
  return spans.reduce((sum, span) => (span.message === message ? sum + span.tokens : sum), 0)
}

function section(title: string, body: string): readonly string[] {
  return body === "" ? [] : [`## ${title}`, body]
}

/**
 * A snapshot serializer for vitest and Jest that writes an assembly as Markdown:
 * `expect.addSnapshotSerializer(promptSerializer)`, then `expect(assembly).toMatchFileSnapshot("prompt.md")`.
 */
export const promptSerializer = { test: isAssembly, serialize: (value: unknown) => formatAssembly(value as Assembly) }

function isAssembly(value: unknown): value is Assembly {
  if (typeof value !== "object" || value === null) return false
  const { version, messages, spans } = value as Partial<Record<string, unknown>>
  return version === 1 && Array.isArray(messages) && Array.isArray(spans)
}

/** The columns of {@link spanRows}. */
const spanColumns = ["message", "key", "trust", "stability", "source", "tokens", "share"] as const

/** One row for each run of neighbouring spans with the same key and message, in order. */
function spanRows(assembly: Assembly): readonly (readonly (string | number)[])[] {
  return spanRuns(assembly.spans).map((spans) => {
    const [first] = spans
    const values = spans.filter((span) => span.part === "content")
    const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
    return [
      first.message + 1,
      `${first.key === "" ? "(prompt)" : first.key}${spans.some((span) => span.part === "notice") ? " (cut)" : ""}`,
      distinct((values.length > 0 ? values : spans).map((span) => span.trust)),
      distinct(spans.map((span) => span.stability)),
      // Without the column: a run of spans would name every column of a line.
      distinct(spans.flatMap(({ source }) => (source ? [formatSource({ file: source.file, line: source.line })] : []))),
      tokens,
      `${assembly.tokens === 0 ? 0 : ((100 * tokens) / assembly.tokens).toFixed(1)} %`,
    ]
  })
}

function distinct(words: readonly string[]): string {
  return [...new Set(words)].join(", ")
}

/** A Markdown table; cells may hold any text. Empty without rows. */
function markdownTable(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return ""
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(" | ")} |`
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n")
}

function cell(value: string | number): string {
  return String(value)
    .toWellFormed()
    .replace(/[\\|]/g, "\\$&")
    .replace(/[\p{Cc}\u2028\u2029]/gu, " ")
}

/** Characters that a text file may not keep: control characters but line feed and tab, line separators, lone surrogates. */
const unfit = /[\p{Cs}\u2028\u2029]|[^\P{Cc}\n\t]/u

/**
 * A Markdown code block from which the text can be read back exactly. The fence is longer than any run of backticks in the
 * text. A text with {@link unfit} characters is written as a JSON list of its lines.
 */
function codeBlock(text: string): string {
  const fits = !unfit.test(text)
  const body = fits ? text : jsonLines(text)
  const fence = "`".repeat(Math.max(3, longestRun(body, "`") + 1))
  return `${fence}${fits ? "text" : "json"}\n${body}\n${fence}`
}

function jsonLines(text: string): string {
  const lines = text.split("\n").map((line, at, all) => (at < all.length - 1 ? `${line}\n` : line))
  return `[\n${lines.map((line) => `  ${escaped(line)}`).join(",\n")}\n]`
}

/** JSON without {@link unfit} characters. */
function escaped(line: string): string {
  return JSON.stringify(line).replace(/[\p{Cc}\u2028\u2029]/gu, escapeUnits)
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const c of text) {
    run = c === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
