import type { OpenAI } from "openai"
import { abortedError } from "../../model/aborted-error.ts"
import type { LanguageModel, ModelRequest } from "../../model/language-model.ts"
import type { ModelPart } from "../../model/model-part.ts"
import { createChunkReader } from "./chunk-reader.ts"
import { createClient } from "./client.ts"
import type { Target } from "./model-error.ts"
import { connectionOf, environment, isOpenaiItself, type OpenaiModelOptions } from "./options.ts"
import { type RequestForm, requestBody } from "./request-body.ts"
import { redactorOf, shownUrl } from "./secrets.ts"
import { openStream } from "./stream.ts"
import { toPromptStrataError } from "./thrown.ts"

/**
 * A model behind the chat completions API of OpenAI or any compatible server. Nothing is loaded, read from the
 * environment or connected to before the first request. Needs the package `openai`.
 */
export function openaiModel(modelOrOptions: string | OpenaiModelOptions): LanguageModel {
  const options = typeof modelOrOptions === "string" ? { model: modelOrOptions } : modelOrOptions
  const id = options.id ?? `openai:${options.model}`
  const capabilities = { developerRole: false, tools: false, ...options.capabilities }
  let opened: Promise<Opened> | undefined
  const openOnce = () => {
    opened ??= open(options, { id, capabilities }).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    id,
    capabilities,
    stream: (request, { signal }) => streamParts(openOnce, request, signal),
  }
}

interface Opened {
  readonly client: OpenAI
  readonly form: RequestForm
  readonly target: Target
}

async function open(
  options: OpenaiModelOptions,
  { id, capabilities }: Pick<LanguageModel, "id" | "capabilities">,
): Promise<Opened> {
  const connection = connectionOf(options, environment())
  return {
    client: await createClient(connection),
    form: {
      model: options.model,
      capabilities,
      jsonMode: options.jsonMode ?? false,
      includeUsage: options.includeUsage ?? true,
      outputLimitName: isOpenaiItself(connection.baseUrl) ? "max_completion_tokens" : "max_tokens",
    },
    target: { id, url: shownUrl(connection.baseUrl), redact: redactorOf(connection) },
  }
}

async function* streamParts(
  openOnce: () => Promise<Opened>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const { client, form, target } = await openOnce()
  const reader = createChunkReader()
  let begun = false
  try {
    const chunks = await openStream(client, requestBody(request, form), { signal, target })
    begun = true
    for await (const chunk of chunks) {
      // A loop instead of yield*: delegating costs three more turns of the microtask queue per part.
      for (const part of reader.push(chunk)) yield part
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw toPromptStrataError(thrown, { target, begun })
    yield { type: "warning", message: "The connection broke after the answer was complete." }
  }
  // The client ends an aborted stream as if it were whole.
  if (signal.aborted) throw abortedError(signal)
  yield* reader.end()
}
