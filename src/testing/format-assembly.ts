import type { Message } from "../core/message.ts"
import type { Assembly } from "../core/span.ts"
import { codeBlock } from "./code-block.ts"
import { markdownTable } from "./markdown-table.ts"
import { spanColumns, spanRows } from "./span-rows.ts"

/**
 * A whole prompt as Markdown for people: each message in a code block from which its content can be read back exactly,
 * then where every part comes from, what was cut, and what was taken out of untrusted text.
 */
export function formatAssembly(assembly: Assembly): string {
  const { messages, decisions, sanitised } = assembly
  const cut = decisions.filter(({ fate }) => fate !== "kept")
  const blocks = [
    `# ${sizeOf(assembly)}`,
    ...messages.flatMap((message, at) => messageBlocks(message, { number: at + 1, tokens: tokensOf(assembly, at) })),
    ...section("Where it comes from", markdownTable(spanColumns, spanRows(assembly))),
    ...section(
      "What was cut",
      markdownTable(
        ["key", "fate", "from tokens", "to tokens", "reason"],
        cut.map(({ key, fate, fromTokens, toTokens, reason }) => [key, fate, fromTokens, toTokens, reason]),
      ),
    ),
    ...section(
      "What was taken out",
      markdownTable(
        ["key", "characters", "kinds"],
        sanitised.map(({ key, removed, kinds }) => [key, removed, kinds.join(", ")]),
      ),
    ),
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
