import { afterEach, describe, expect, test } from "vitest"
import { openaiModel } from "../../../src/adapters/models/openai/index.ts"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { listen } from "../../../src/apps/server/listen.ts"
import { testAgent } from "../../support/agents.ts"

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function opened(handle: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = await listen(async (request) => handle(request), { host: "127.0.0.1", port: 0 })
  closers.push(() => server.close(AbortSignal.abort()))
  return `http://127.0.0.1:${server.port}`
}

/** The status and the code that a client of ours gets if the model's server answers so. */
async function answered(status: number, body: unknown): Promise<readonly [number, string, string | null]> {
  const provider = await opened(() => Response.json(body, { status }))
  const model = openaiModel({ model: "m", apiKey: "k", baseUrl: `${provider}/v1` })
  const { agent } = testAgent(model, { memory: { enabled: false } })
  const own = await opened(
    createHandler({ agents: { fay: agent }, authorize: () => ({ user: "ann" }), onError: () => undefined }),
  )
  const asked = { model: "fay", messages: [{ role: "user", content: "A long story." }] }
  const response = await fetch(`${own}/v1/chat/completions`, { method: "POST", body: JSON.stringify(asked) })
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code, response.headers.get("x-should-retry")]
}

/** The words of servers for a request that is too long. */
const words: readonly (readonly [server: string, status: number, body: unknown])[] = [
  ["OpenAI", 400, { error: { message: "Too large.", type: "invalid_request_error", code: "context_length_exceeded" } }],
  ["Groq", 400, { error: { message: "Please reduce the length of the messages.", code: "context_length_exceeded" } }],
  [
    "vLLM",
    400,
    {
      object: "error",
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      type: "BadRequestError",
      code: 400,
    },
  ],
  ["OpenRouter", 400, { error: { message: "This endpoint's maximum context length is 32768 tokens.", code: 400 } }],
  [
    "Anthropic",
    400,
    { error: { message: "prompt is too long: 210000 tokens > 200000 maximum", type: "invalid_request_error", code: null } },
  ],
  [
    "Google",
    400,
    { error: { code: 400, message: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)." } },
  ],
  [
    "llama.cpp",
    400,
    { error: { code: 400, message: "the request exceeds the available context size", type: "exceed_context_size_error" } },
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
      code: "3051",
    },
  ],
  ["xAI", 400, { code: "c", error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens." }],
  ["Bedrock", 400, { error: { message: "Input is too long for requested model.", type: "invalid_request_error" } }],
  [
    "Text Generation Inference",
    422,
    {
      error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
      error_type: "validation",
    },
  ],
]

describe("N7 a context that is too long is status 400 to the client", () => {
  test.each(words)("in the words of %s", async (_server, status, body) => {
    expect(await answered(status, body)).toEqual([400, "context_length_exceeded", null])
  })

  test("and other words of a refusal are not", async () => {
    const [, code] = await answered(400, { error: { message: "max_tokens must be at least 1", type: "invalid_request_error" } })
    expect(code).not.toBe("context_length_exceeded")
  })
})
