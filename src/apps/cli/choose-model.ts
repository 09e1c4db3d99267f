import { shownUrl } from "../../adapters/models/openai/connection.ts"
import { openaiModel } from "../../adapters/models/openai/openai-model.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { LanguageModel } from "../../core/model/language-model.ts"
import { defined } from "../../core/value.ts"
import type { Profile } from "../../profile/profile.ts"
import { resolveProfile } from "../../profile/resolve.ts"
import { demoModel } from "./demo/demo-model.ts"
import type { CliIo } from "./io.ts"
import { defaultModel } from "./options.ts"

interface ChosenModel {
  readonly model: LanguageModel
  /** True for the offline demo. */
  readonly demo: boolean
}

/** Chooses the model for a profile and an environment. */
export type ModelChooser = (profile: Profile, env: CliIo["env"]) => ChosenModel

/**
 * Chooses the environment's model, else the profile's. Without a key and a server URL it is the offline demo. Throws code `usage`
 * for a model name without a key and a URL, so that the demo is not taken for that model, for a URL without a name, and for an address that is none of HTTP.
 */
export const chooseModel: ModelChooser = (profile, env) => {
  const apiKey = filled(env.OPENAI_API_KEY)
  const baseUrl = filled(env.OPENAI_BASE_URL) ?? profile.model.baseUrl
  const named = filled(env.PROMPTSTRATA_MODEL)
  if (named === "demo") return chooseDemo(profile)
  if (apiKey === undefined && baseUrl === undefined) {
    if (named === undefined) return chooseDemo(profile)
    throw usage(`PROMPTSTRATA_MODEL is ${JSON.stringify(named)}, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.`)
  }
  if (!/^https?:\/\//i.test(baseUrl ?? "http://"))
    throw usage("expected OPENAI_BASE_URL, or base_url of [model], to begin with http:// or https://.")
  const model = named ?? profile.model.id ?? (baseUrl === undefined ? defaultModel : undefined)
  if (model === undefined) throw usage(`expected the name of a model for the server at ${shownUrl(baseUrl ?? "")}, found none.`)
  const jsonMode = profile.loop.responseFormat === "json" ? true : undefined
  const { extraFields: extraBody = {}, capabilities: { reasoning: opensInThought, ...given } = {} } = profile.model
  const capabilities = defined({ ...given, opensInThought })
  return { model: openaiModel({ model, jsonMode, apiKey, baseUrl, extraBody, capabilities }), demo: false }
}

/**
 * The models of the processes, observers, background work (`memory`) and limits (`fallback`) that name one of their own, by name. PROMPTSTRATA_MODEL and OPENAI_BASE_URL are for the
 * agent's model and do not replace what they name, except that the model `demo` is for all.
 */
export function chooseOwnModels(profile: Profile, env: CliIo["env"], choose: ModelChooser): Record<string, LanguageModel> {
  const named = Object.entries({
    ...profile.processes,
    ...profile.observers,
    memory: profile.memory,
    fallback: { model: profile.fallbackModel },
  })
  const isDemo = env.PROMPTSTRATA_MODEL?.trim() === "demo"
  const models = named.flatMap(
    ([name, { model: { id, baseUrl, extraFields, capabilities } = {} }]): [string, LanguageModel][] => {
      if (id === undefined && baseUrl === undefined && (extraFields ?? capabilities) === undefined) return []
      const server = baseUrl === undefined ? {} : { OPENAI_BASE_URL: undefined }
      const model = { ...profile.model, capabilities, extraFields, ...(id && { id }), ...(baseUrl && { baseUrl }) }
      const own = resolveProfile({ ...profile, model })
      return [[name, choose(own, isDemo ? env : { ...env, PROMPTSTRATA_MODEL: undefined, ...server }).model]]
    },
  )
  return Object.fromEntries(models)
}

/** The offline demo, in the language of a profile. */
export function chooseDemo({ locale }: Pick<Profile, "locale">): ChosenModel {
  return { model: demoModel({ locale: locale.startsWith("zh") ? "zh-CN" : "en" }), demo: true }
}

function usage(message: string): PromptStrataError {
  return new PromptStrataError("usage", message, {
    hint: "Set PROMPTSTRATA_MODEL and OPENAI_API_KEY, or OPENAI_BASE_URL for another server. PROMPTSTRATA_MODEL=demo chooses the offline demo.",
  })
}

function filled(value: string | undefined): string | undefined {
  const trimmed = value?.trim()
  return trimmed === "" ? undefined : trimmed
}
