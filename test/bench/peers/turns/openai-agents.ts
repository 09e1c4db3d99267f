import { z } from "zod"
import { calledWith, deltas, descriptionOf, instructions, type Looper, nameOf, readAll } from "./looper.ts"

/** @openai/agents: a Runner without tracing, over a model of its own interface. */
export async function openaiAgents(version: string): Promise<Looper[]> {
  const { Agent, Runner, tool } = await import("@openai/agents")
  return [
    {
      name: "@openai/agents",
      version,
      makeTurn: (toolCount) => {
        const parameters = z.object({ subject: z.string(), limit: z.number().int().nullable() })
        const tools = Array.from({ length: toolCount }, (_, at) =>
          tool({ name: nameOf(at), description: descriptionOf(at), parameters, execute: async () => "ok" }),
        )
        const agent = new Agent({ name: "Mira", instructions, model, tools })
        const runner = new Runner({ tracingDisabled: true })
        return async (question: string) => {
          const run = await runner.run(agent, question, { stream: true })
          return readAll(run.toTextStream())
        }
      },
    },
  ]
}

/** What is read of a request to a model; the peer's own types are there only where it is installed. */
interface ModelRequest {
  readonly input: string | readonly { readonly type?: string }[]
}

const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }

const model = {
  getResponse: () => Promise.reject(new Error("only streams")),
  async *getStreamedResponse({ input }: ModelRequest) {
    yield { type: "response_started" }
    const isCalled = typeof input !== "string" && input.at(-1)?.type === "function_call_result"
    if (!isCalled) {
      const call = {
        type: "function_call",
        callId: "call-1",
        name: nameOf(0),
        arguments: JSON.stringify(calledWith),
        status: "completed",
      }
      yield { type: "response_done", response: { id: "r-1", usage, output: [call] } }
      return
    }
    for (const delta of deltas) yield { type: "output_text_delta", delta }
    const content = [{ type: "output_text", text: deltas.join("") }]
    const message = { type: "message", role: "assistant", status: "completed", content }
    yield { type: "response_done", response: { id: "r-2", usage, output: [message] } }
  },
}
