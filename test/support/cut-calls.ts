import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { aiSdkModel } from "../../src/adapters/models/ai-sdk/index.ts"
import { openaiModel } from "../../src/adapters/models/openai/index.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { testAgent } from "./agents.ts"
import { chatChunk, eventStream } from "./chat-server.ts"

/** Both adapters of a server that is not there: `respond` makes the body of each answer. */
export function cutCallModels(respond: () => string): Readonly<Record<"openaiModel" | "aiSdkModel", LanguageModel>> {
  const fetch = async () => new Response(respond(), { headers: { "content-type": "text/event-stream" } })
  const provider = createOpenAICompatible({ name: "x", apiKey: "k", baseURL: "http://localhost/v1", fetch })
  const capabilities = { tools: true }
  return {
    openaiModel: openaiModel({ model: "m", apiKey: "k", baseUrl: "http://localhost/v1", fetch, capabilities }),
    aiSdkModel: aiSdkModel(provider("m")),
  }
}

/** The body of an answer that calls the tool `act` once with each text, and then ends for `finish`, or just ends. */
function callsBody(texts: readonly string[], finish: string | undefined): string {
  const calls = texts.map((text, index) => {
    const half = text.length >> 1
    const first = { index, id: `call_${index}`, type: "function", function: { name: "act", arguments: text.slice(0, half) } }
    return [chatChunk({ tool_calls: [first] }), chatChunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] })]
  })
  return eventStream([...calls.flat(), ...(finish === undefined ? [] : [chatChunk({}, { finish_reason: finish })])])
}

/** The arguments with which a tool was run in a turn whose first answer calls it with each of the texts. */
export async function runsOf(
  models: (respond: () => string) => LanguageModel,
  texts: readonly string[],
  finish: string | undefined,
): Promise<{ readonly ran: readonly unknown[]; readonly told: readonly string[] }> {
  const answer = eventStream([chatChunk({ content: "好。" }, { finish_reason: "stop" })])
  const bodies = [callsBody(texts, finish)]
  const ran: unknown[] = []
  const jsonSchema = { type: "object", additionalProperties: true }
  const act = defineTool({
    name: "act",
    description: "Acts.",
    jsonSchema,
    repeatable: true,
    execute: (args) => void ran.push(args),
  })
  const model = models(() => bodies.shift() ?? answer)
  // All calls stand in one answer, which is longer than any that a model may give.
  const limits = { answerCharacters: 1_000_000_000 }
  const { session } = testAgent(model, { dialect: "layered", loop: { mode: "native" }, limits }, { tools: [act] })
  const { trace } = await session.send("？").result
  return { ran, told: trace.runs.flatMap(({ failure, result }) => (failure === undefined ? [] : [result])) }
}
