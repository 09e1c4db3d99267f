import { inspect } from "node:util"
import { type AiSdkLanguageModel, aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"

const request = { messages: [{ role: "user" as const, content: "hi" }] }

/** Runs one request to its failure and gives what came before it. */
export async function failure(
  model: AiSdkLanguageModel,
  options: Parameters<typeof aiSdkModel>[1] = {},
): Promise<{ error: PromptStrataError; parts: ModelPart[] }> {
  const parts: ModelPart[] = []
  try {
    for await (const part of aiSdkModel(model, options).stream(request, { signal: new AbortController().signal }))
      parts.push(part)
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return { error, parts }
    throw error
  }
  throw new Error(`expected a failure, got ${inspect(parts)}`)
}
