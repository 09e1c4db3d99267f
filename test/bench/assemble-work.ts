import { get_encoding } from "tiktoken"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Assembly } from "../../src/core/span.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../src/prompt/assemble/assembler.ts"
import type { WaterMarks } from "../../src/prompt/assemble/fit/water-marks.ts"
import type { TurnState } from "../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import * as work from "./workloads.ts"

/** The counter that everything is measured with. */
export const tiktoken = await tiktokenCounter({ encoding: "o200k_base" })

/** The package itself: what a floor counts with, as anybody does without this library. */
const tiktokenPackage = get_encoding("o200k_base")

/** Counts with the package. */
export const countWithPackage = (text: string): number => tiktokenPackage.encode_ordinary(text).length

/** A counter that has seen nothing, and how many characters and texts it was sent. */
export function freshCounter(): { counter: TokenCounter; sent: () => number; texts: () => number } {
  let [characters, texts] = [0, 0]
  const counter: TokenCounter = {
    ...tiktoken,
    count(text) {
      characters += text.length
      texts++
      return tiktoken.count(text)
    },
    scan(text, visit) {
      characters += text.length
      texts++
      tiktoken.scan(text, visit)
    },
  }
  return { counter, sent: () => characters, texts: () => texts }
}

/** Blocks as items that can only be dropped. */
export function stackOf(blocks: readonly work.Block[]): PromptStack {
  return new PromptStack(blocks.map(({ key, text, rank }) => ({ key, content: text, fit: { rank, shrink: "drop" } })))
}

/** Half of what the blocks have. */
export function half(blocks: readonly work.Block[]): number {
  return Math.round(blocks.reduce((sum, { text }) => sum + tiktoken.count(text), 0) / 2)
}

/** A request of nothing but blocks. */
export const assembleBlocks = (
  stack: PromptStack,
  counter: TokenCounter,
  budgetTokens: number,
  assembler = createAssembler(),
): Assembly => assemble(stack, { dialect: "layered", prompt: "chat", counter, budgetTokens, assembler })

/** A chat whose turns are assembled one after the other. */
export function chatOf(history: WaterMarks = {}): {
  readonly chat: work.Chat
  readonly turn: (at: number, counter: TokenCounter) => Assembly
} {
  const chat = work.chat()
  const speaker = { id: "u", name: "Ann" }
  const messages = chat.lines.map(({ role, text }, index) => ({ role, text, speaker, turnId: `t${index >> 1}`, atMs: 0 }))
  const stack = new PromptStack([{ key: "persona", content: chat.system, scope: "global" }])
  const assembler = createAssembler()
  const rest = { group: false, agentName: "Fay", memories: [], prestart: [], tools: [], runs: [], steps: [] }
  return {
    chat,
    turn(at, counter) {
      const turn: TurnState = {
        ...rest,
        question: { speaker, text: chat.lines[at * 2]?.text ?? "" },
        history: messages.slice(0, at * 2),
      }
      const { budgetTokens } = chat
      return assemble(stack, { dialect: "layered", prompt: "chat", counter, turn, budgetTokens, history, assembler })
    },
  }
}

/** 130 kB of prose, one byte a character, as a file is read. */
export function longText(): string {
  const prose = work
    .blocks(700)
    .map((block) => block.text)
    .join("\n")
  return new TextDecoder("latin1").decode(new TextEncoder().encode(prose.replaceAll(/[^\n -~]/g, "x").slice(0, 130_000)))
}
