import { PromptStrataError } from "../../src/core/errors.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Assembly } from "../../src/core/span.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import type { Assembler } from "../../src/prompt/assemble/assembler.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { said, turnState } from "./turns.ts"

const fragments: readonly string[] = [
  ...["Hello", " world", "The", "'s", "'ll", "don't", "X", "aB", "camelCase", "HTTP", "don'", "t"],
  ...["今天", "天气", "怎么样？", "。", "，", "中文mixed", "日本語", "한국어", "ก็"],
  ...["😀", "👩‍👩‍👧", "🇨🇳", "1️⃣", "\u0301", "e\u0301", "\u200d", "\ufeff"],
  ...["1", "23", "456", "7890", "3.14", "½", "٣"],
  ...[" ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\u00a0", "\u3000", " \n ", "   x"],
  ...[".", ",", "!", "/", "//", "-", "---", "```", "\n```ts\n", "<|endoftext|>", "“", "”", "_", "{}", '"'],
]

const prompts = [
  { dialect: "layered", prompt: "chat" },
  { dialect: "stack", prompt: "chat" },
  { dialect: "fay", prompt: "chat" },
  { dialect: "layered", prompt: "final" },
] as const

/** Random numbers in [0, 1) from a seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** An assembly of random parts, after those that the assembler remembers; `undefined` where the budget was impossible. */
export function fuzzedAssembly(random: () => number, counter: TokenCounter, assembler: Assembler): Assembly | undefined {
  const below = (end: number) => Math.floor(random() * end)
  const text = (most: number) => {
    let made = ""
    for (let left = 1 + below(most); left > 0; left--)
      made += (fragments[below(fragments.length)] ?? "").repeat(random() < 0.1 ? 7 : 1)
    return made
  }
  const stack = new PromptStack()
  for (let index = below(4); index > 0; index--) {
    const trust = (["author", "user", "memory"] as const)[below(3)] ?? "author"
    const shrink = (["drop", "head", "tail", "headTail"] as const)[below(4)] ?? "drop"
    stack.add(`k${index}`, text(8), { trust, fit: { rank: below(3), shrink } })
  }
  const turn = turnState(text(5), {
    memories: Array.from({ length: below(3) }, () => ({ text: text(5) })),
    history: Array.from({ length: below(4) }, (_, index) => said(index % 2 === 0 ? "user" : "assistant", text(6))),
  })
  const where = prompts[below(prompts.length)] ?? prompts[0]
  try {
    return assemble(stack, { ...where, turn, counter, assembler, ...(random() < 0.3 ? { budgetTokens: 20 + below(120) } : {}) })
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "budget") return undefined
    throw error
  }
}

/** What an assembly reports and what the counter says of its rendering, where they differ. */
export function inexact({ messages, spans, tokens, prefixes }: Assembly, count: (text: string) => number): string | undefined {
  const ofMessages = messages.map(({ content }) => count(content))
  const sum = ofMessages.reduce((all, one) => all + one, 0)
  if (tokens !== sum) return `reported ${tokens}, counted ${sum}`
  for (const [index, counted] of ofMessages.entries()) {
    const own = spans.reduce((all, span) => (span.message === index ? all + span.tokens : all), 0)
    if (own !== counted) return `message ${index}: its spans sum to ${own}, counted ${counted}`
  }
  if (spans.some((span) => span.tokens < 0)) return "a span has fewer than no tokens"
  for (const prefix of prefixes) {
    const before = ofMessages.slice(0, prefix.message).reduce((all, one) => all + one, 0)
    const counted = before + count(messages[prefix.message]?.content.slice(0, prefix.end) ?? "")
    if (prefix.tokens !== counted) return `prefix ${prefix.stability}: reported ${prefix.tokens}, counted ${counted}`
  }
  return undefined
}
