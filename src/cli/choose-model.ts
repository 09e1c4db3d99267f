import { PromptStrataError } from "../core/errors.ts"
import type { LanguageModel } from "../model/language-model.ts"
import { openaiModel } from "../models/openai/openai-model.ts"
import { shownUrl } from "../models/openai/secrets.ts"
import type { Profile } from "../profile/profile.ts"
import { demoModel } from "./demo/demo-model.ts"
import type { CliIo } from "./io.ts"

/** OpenAI's own server is asked for this model when nobody names one. */
export const defaultModel = "gpt-5-mini"

/** The model to talk to, and whether it is only the demo. */
interface ChosenModel {
  readonly model: LanguageModel
  readonly demo: boolean
}

/** Finds the model for a profile in an environment. */
export type ModelChooser = (profile: Profile, env: CliIo["env"]) => ChosenModel

/**
 * The environment's model, else the profile's; with neither a key nor a server the offline demo. A name in the environment
 * without either, or a server without a name, is a mistake with code `usage`: silence would be a surprise.
 */
export const chooseModel: ModelChooser = (profile, env) => {
  const apiKey = filled(env.OPENAI_API_KEY)
  const baseUrl = filled(env.OPENAI_BASE_URL) ?? profile.model.baseUrl
  const named = filled(env.PROMPTSTRATA_MODEL)
  if (named === "demo") return demo(profile)
  if (apiKey === undefined && baseUrl === undefined) {
    if (named === undefined) return demo(profile)
    throw usage(`PROMPTSTRATA_MODEL is ${JSON.stringify(named)}, but there is neither OPENAI_API_KEY nor OPENAI_BASE_URL.`)
  }
  const model = named ?? profile.model.id ?? (baseUrl === undefined ? defaultModel : undefined)
  if (model === undefined) throw usage(`expected a model's name for the server at ${shownUrl(baseUrl ?? "")}, found none.`)
  const options = {
    model,
    jsonMode: profile.loop.responseFormat === "json",
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  }
  return { model: openaiModel(options), demo: false }
}

function demo({ locale }: Profile): ChosenModel {
  return { model: demoModel({ locale: locale.startsWith("zh") ? "zh-CN" : "en" }), demo: true }
}

function usage(message: string): PromptStrataError {
  return new PromptStrataError("usage", message, {
    hint: "Set OPENAI_API_KEY, or OPENAI_BASE_URL for another server, and PROMPTSTRATA_MODEL; PROMPTSTRATA_MODEL=demo is the offline demo.",
  })
}

function filled(value: string | undefined): string | undefined {
  const trimmed = value?.trim()
  return trimmed === "" ? undefined : trimmed
}
