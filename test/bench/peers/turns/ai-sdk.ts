import { z } from "zod"
import { aiSdkModel } from "./ai-sdk-model.ts"
import { descriptionOf, instructions, type Looper, nameOf, readAll } from "./looper.ts"

/** The AI SDK: `streamText` with tools, and its `ToolLoopAgent`. */
export async function aiSdk(version: string): Promise<Looper[]> {
  const { isStepCount, streamText, ToolLoopAgent, tool } = await import("ai")
  const toolsOf = (toolCount: number) => {
    const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
    return Object.fromEntries(
      Array.from({ length: toolCount }, (_, at) => [
        nameOf(at),
        tool({ description: descriptionOf(at), inputSchema, execute: () => "ok" }),
      ]),
    )
  }
  return [
    {
      name: "ai, streamText",
      version,
      makeTurn: (toolCount) => {
        const tools = toolsOf(toolCount)
        const stopWhen = isStepCount(8)
        return (prompt) => readAll(streamText({ model: aiSdkModel(), instructions, prompt, tools, stopWhen }).textStream)
      },
    },
    {
      name: "ai, ToolLoopAgent",
      version,
      makeTurn: (toolCount) => {
        const agent = new ToolLoopAgent({ model: aiSdkModel(), instructions, tools: toolsOf(toolCount) })
        return async (prompt) => readAll((await agent.stream({ prompt })).textStream)
      },
    },
  ]
}
