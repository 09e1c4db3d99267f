import type { Contestant, Count } from "./contestant.ts"

type Message = { readonly role: string; readonly content: string }

/** What is used of it; its own types are there only where it is installed. */
interface Global {
  readonly Settings: { tokenizer: object }
}
interface MemoryModule {
  readonly BaseMemoryBlock: new (options: { readonly priority: number; readonly isLongTerm: boolean }) => object
  createMemory(messages: readonly Message[], options: object): { getLLM(): Promise<readonly Message[]> }
}

/** @llamaindex/core: `Memory` adds up the counts of blocks by priority, and of messages from the latest back. */
export async function llamaindex(version: string): Promise<Contestant> {
  const { Settings } = (await import("@llamaindex/core/global")) as unknown as Global
  const { BaseMemoryBlock, createMemory } = (await import("@llamaindex/core/memory")) as unknown as MemoryModule
  const countingWith = (count: Count) => {
    // All that it reads of what `encode` returns is the length.
    Settings.tokenizer = { encode: (text: string) => ({ length: count(text) }), decode: () => "" }
  }
  class TextBlock extends BaseMemoryBlock {
    readonly #message: Message

    constructor(content: string, priority: number, role = "memory") {
      super({ priority, isLongTerm: false })
      this.#message = { role, content }
    }

    async get() {
      return [{ id: "", ...this.#message }]
    }
  }
  return {
    name: "@llamaindex/core",
    version,
    makeBlocks:
      ({ count }) =>
      async (given, tokenLimit) => {
        countingWith(count)
        const memoryBlocks = given.map(({ text, rank }) => new TextBlock(text, rank + 1))
        const kept = await createMemory([], { tokenLimit, shortTermTokenLimitRatio: 0, memoryBlocks }).getLLM()
        const texts = new Set(kept.map(({ content }) => content))
        return given.flatMap(({ text }) => (texts.has(text) ? [text] : [])).join("\n\n")
      },
    makeChat: ({ system, lines, budgetTokens }, { count }) => {
      const spoken = lines.map(({ role, text }) => ({ role, content: text }))
      const memoryBlocks = [new TextBlock(system, 0, "system")]
      return async (turn) => {
        countingWith(count)
        const options = { tokenLimit: budgetTokens, shortTermTokenLimitRatio: 1, memoryBlocks }
        const kept = await createMemory(spoken.slice(0, turn * 2 + 1), options).getLLM()
        return kept.map(({ content }) => content).join("\n\n")
      }
    },
  }
}
