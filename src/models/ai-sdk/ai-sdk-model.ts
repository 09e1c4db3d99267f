import { PromptStrataError } from "../../core/errors.ts"
import type { LanguageModel, ModelRequest } from "../../model/language-model.ts"
import { recordOf } from "../openai/json-access.ts"
import { dropsBreakpoints, type RequestForm, requestFormOf } from "./call-options.ts"
import type { AiSdkModelOptions } from "./options.ts"
import type { AiSdkLanguageModel } from "./provider-model.ts"
import { streamParts } from "./stream.ts"

/**
 * Any language model of the AI SDK (provider specification v2, v3 or v4), called as `model.doStream()`: the package `ai` is
 * not needed. Retries and tool runs stay with the turn. Throws `usage` for anything that is no such model.
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): LanguageModel {
  requireModel(model)
  const id = options.id ?? `${model.provider}:${model.modelId}`
  const capabilities = { developerRole: false, tools: true, ...options.capabilities }
  const form = requestFormOf(model, { ...options, tools: capabilities.tools })
  const target = { id, model, headers: form.headers }
  const remarksOn = options.cacheBreakpoints === false ? () => [] : createRemarks(id, form)
  return {
    id,
    capabilities,
    stream: (request, { signal }) => streamParts({ target, request, form, signal, remarks: remarksOn(request) }),
  }
}

/** Says once per model that its provider is not told what to cache; said with each request it would drown the rest. */
function createRemarks(id: string, form: RequestForm): (request: ModelRequest) => readonly string[] {
  let said = false
  return (request) => {
    if (said || !dropsBreakpoints(request, form)) return []
    said = true
    return [
      `${id} has no form of cache breakpoints that is known here: none are sent. Set \`cacheBreakpoints\` to "anthropic" or "openai" if it takes theirs, or to false.`,
    ]
  }
}

function requireModel(model: unknown): void {
  const { specificationVersion: version, doStream } = recordOf(model)
  if (["v2", "v3", "v4"].includes(String(version)) && typeof doStream === "function") return
  const found =
    typeof model === "string" ? `the name ${JSON.stringify(model)}` : `specification ${JSON.stringify(version ?? null)}`
  throw new PromptStrataError("usage", `expected a model of the AI SDK's provider specification v2, v3 or v4, found ${found}.`, {
    hint: 'Pass the model object of a provider package, such as `openai("gpt-5-mini")` of "@ai-sdk/openai".',
  })
}
