import type { Contestant, Count } from "./contestant.ts"

type LangchainMessage = { readonly content: string; readonly name?: string }
type NewMessage = new (fields: string | LangchainMessage) => LangchainMessage

/** What is used of it; its own types are there only where it is installed. */
interface Messages {
  readonly AIMessage: NewMessage
  readonly HumanMessage: NewMessage
  readonly SystemMessage: NewMessage
  trimMessages(messages: readonly LangchainMessage[], options: object): Promise<readonly LangchainMessage[]>
}

/** @langchain/core: `trimMessages` keeps messages from one end, counting the whole list for every one that it drops. */
export async function langchain(version: string): Promise<Contestant> {
  const { AIMessage, HumanMessage, SystemMessage, trimMessages } = (await import(
    "@langchain/core/messages"
  )) as unknown as Messages
  const { PromptTemplate } = await import("@langchain/core/prompts")
  const listCounter = (count: Count) => (messages: readonly LangchainMessage[]) =>
    messages.reduce((sum, { content }) => sum + count(content), 0)
  return {
    name: "@langchain/core",
    version,
    makeBlocks:
      ({ count }) =>
      async (given, budgetTokens) => {
        const byRank = given.map((block, index) => ({ ...block, index })).sort((a, b) => b.rank - a.rank)
        const messages = byRank.map(({ text, index }) => new HumanMessage({ content: text, name: String(index) }))
        const options = { maxTokens: budgetTokens, strategy: "first", tokenCounter: listCounter(count) }
        const kept = await trimMessages(messages, options)
        const inOrder = kept.toSorted((a, b) => Number(a.name) - Number(b.name))
        return inOrder.map(({ content }) => content).join("\n\n")
      },
    makeChat: ({ system, lines, budgetTokens }, { count }) => {
      const spoken = lines.map(({ role, text }) => (role === "user" ? new HumanMessage(text) : new AIMessage(text)))
      const options = { maxTokens: budgetTokens, strategy: "last", includeSystem: true, tokenCounter: listCounter(count) }
      return async (turn) => {
        const messages = [new SystemMessage(system), ...spoken.slice(0, turn * 2 + 1)]
        const kept = await trimMessages(messages, options)
        return kept.map(({ content }) => content).join("\n\n")
      }
    },
    makeTemplate: ({ mustache, values }) => {
      const template = PromptTemplate.fromTemplate(mustache.replaceAll("{{{", "{").replaceAll("}}}", "}"))
      return () => template.format(values)
    },
  }
}
