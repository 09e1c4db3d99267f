import type { PromptStrataError } from "../../core/errors.ts"
import type { Fault } from "../openai/fault.ts"
import { recordOf, stringOf } from "../openai/json-access.ts"
import { modelError } from "../openai/model-error.ts"
import { advice } from "./advice.ts"
import type { AiSdkLanguageModel } from "./provider-model.ts"
import { redactorOf } from "./secrets.ts"

/** Which model a request went to, for messages. */
export interface AiSdkTarget {
  readonly id: string
  readonly model: AiSdkLanguageModel
  readonly headers: Readonly<Record<string, string>>
}

/** A fault as an error of code `model`. `thrown` may know the address; it is no cause, since it holds the whole request. */
export function aiSdkError(fault: Fault, { id, model, headers }: AiSdkTarget, thrown?: unknown): PromptStrataError {
  const url = shownUrl(stringOf(recordOf(thrown).url)) ?? `provider ${model.provider}`
  return modelError(fault, { id, url, redact: redactorOf(model, headers), advice })
}

/** The address without credentials and query. */
function shownUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
