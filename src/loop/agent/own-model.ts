import { PromptStrataError } from "../../core/errors.ts"
import type { LanguageModel } from "../../core/model/language-model.ts"
import type { ProcessSettings } from "../../profile/keys/processes.ts"
import type { Profile } from "../../profile/profile.ts"

/**
 * The model that the program gave for a process or an observer. Undefined stands for the agent's. Throws `profile` if the profile
 * names another model and the program gave none: it would be another one than the profile says.
 */
export function givenModel(
  profile: Profile,
  options: {
    readonly table: "processes" | "observers"
    readonly name: string
    readonly settings: Pick<ProcessSettings, "model">
    readonly models: Readonly<Record<string, LanguageModel>>
  },
): LanguageModel | undefined {
  const { table, name, settings, models } = options
  const model = Object.hasOwn(models, name) ? models[name] : undefined
  const { id, baseUrl } = { ...profile.model, ...settings.model }
  if (model !== undefined || (id === profile.model.id && baseUrl === profile.model.baseUrl)) return model
  throw new PromptStrataError(
    "profile",
    `Profile ${JSON.stringify(profile.name)}: expected the model ${JSON.stringify(id ?? baseUrl)} for ${table}.${name}, found none.`,
    { hint: `Pass it to createAgent: models: { ${JSON.stringify(name)}: … }. Or leave out [${table}.${name}.model].` },
  )
}
