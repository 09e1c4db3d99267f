import { z } from "zod"
import { aiSdkModel } from "./ai-sdk-model.ts"
import { descriptionOf, instructions, type Looper, nameOf, readAll } from "./looper.ts"

/** @mastra/core: its Agent over a model of the AI SDK. */
export async function mastra(version: string): Promise<Looper[]> {
  const { Agent } = (await import("@mastra/core/agent")) as unknown as Mastra
  const { createTool } = (await import("@mastra/core/tools")) as unknown as Mastra
  return [
    {
      name: "@mastra/core",
      version,
      makeTurn: (toolCount) => {
        const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
        const tools = Object.fromEntries(
          Array.from({ length: toolCount }, (_, at) => {
            const id = nameOf(at)
            return [id, createTool({ id, description: descriptionOf(at), inputSchema, execute: async () => "ok" })]
          }),
        )
        const agent = new Agent({ id: "mira", name: "Mira", instructions, model: aiSdkModel(), tools })
        return async (question: string) => readAll((await agent.stream(question)).textStream)
      },
    },
  ]
}

/** What is used of it; its own types are there only where it is installed. */
interface Mastra {
  readonly Agent: new (
    options: object,
  ) => {
    stream(question: string): Promise<{ readonly textStream: AsyncIterable<string> }>
  }
  createTool(options: object): unknown
}
