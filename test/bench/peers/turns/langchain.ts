import { z } from "zod"
import { calledWith, deltas, descriptionOf, instructions, type Looper, nameOf, readAll } from "./looper.ts"

/** LangChain: `createAgent`, which runs on LangGraph, and the graph's own prebuilt loop. Both stream messages. */
export async function langchain(version: string): Promise<Looper[]> {
  const { createAgent } = (await import("langchain")) as unknown as Langchain
  const { tool } = (await import("@langchain/core/tools")) as unknown as Langchain
  const { createReactAgent } = (await import("@langchain/langgraph/prebuilt")) as unknown as Langchain
  const model = await scripted()
  const toolsOf = (toolCount: number) => {
    const schema = z.object({ subject: z.string(), limit: z.number().int().optional() })
    return Array.from({ length: toolCount }, (_, at) =>
      tool(() => "ok", { name: nameOf(at), description: descriptionOf(at), schema }),
    )
  }
  const turnOf = (agent: Graph) => async (question: string) =>
    readAll(spoken(await agent.stream({ messages: [{ role: "user", content: question }] }, { streamMode: "messages" })))
  return [
    {
      name: "langchain, createAgent",
      version,
      makeTurn: (toolCount) => turnOf(createAgent({ model, tools: toolsOf(toolCount), systemPrompt: instructions })),
    },
    {
      name: "@langchain/langgraph, createReactAgent",
      version,
      makeTurn: (toolCount) => turnOf(createReactAgent({ llm: model, tools: toolsOf(toolCount), prompt: instructions })),
    },
  ]
}

/** What is used of its packages; their own types are there only where they are installed. */
interface Langchain {
  createAgent(options: object): Graph
  createReactAgent(options: object): Graph
  tool(execute: () => string, options: object): unknown
  readonly BaseChatModel: new (fields: object) => { withConfig(config: object): unknown }
  readonly AIMessageChunk: new (fields: object) => { readonly content: string }
  readonly ChatGenerationChunk: new (fields: object) => object
}

interface Graph {
  stream(
    input: object,
    options: object,
  ): Promise<AsyncIterable<readonly [{ readonly type: string; readonly content: unknown }, unknown]>>
}

/** The text of the model's own messages. */
async function* spoken(parts: Awaited<ReturnType<Graph["stream"]>>): AsyncGenerator<string> {
  for await (const [{ type, content }] of parts) if (type === "ai" && typeof content === "string") yield content
}

async function scripted() {
  const { BaseChatModel } = (await import("@langchain/core/language_models/chat_models")) as unknown as Langchain
  const { AIMessageChunk } = (await import("@langchain/core/messages")) as unknown as Langchain
  const { ChatGenerationChunk } = (await import("@langchain/core/outputs")) as unknown as Langchain
  class Scripted extends BaseChatModel {
    _llmType(): string {
      return "bench"
    }
    _generate(): Promise<never> {
      return Promise.reject(new Error("only streams"))
    }
    bindTools(tools: readonly unknown[]) {
      return this.withConfig({ tools })
    }
    async *_streamResponseChunks(
      messages: readonly { readonly type: string }[],
      _options: object,
      manager?: { handleLLMNewToken(token: string, ...others: unknown[]): Promise<void> },
    ) {
      const isCalled = messages.at(-1)?.type === "tool"
      const call = { type: "tool_call_chunk", id: "call-1", index: 0, name: nameOf(0), args: JSON.stringify(calledWith) }
      const chunks = isCalled
        ? deltas.map((content) => new AIMessageChunk({ content }))
        : [new AIMessageChunk({ content: "", tool_call_chunks: [call] })]
      for (const message of chunks) {
        const chunk = new ChatGenerationChunk({ message, text: message.content })
        yield chunk
        await manager?.handleLLMNewToken(message.content, undefined, undefined, undefined, undefined, { chunk })
      }
    }
  }
  return new Scripted({})
}
