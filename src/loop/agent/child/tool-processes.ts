import { PromptStrataError } from "../../../core/errors.ts"
import type { LanguageModel } from "../../../core/model/language-model.ts"
import type { SettingsOf } from "../../../profile/key.ts"
import { defaultProcessDialect, type ProcessSettings, processKeys } from "../../../profile/keys/turn.ts"
import type { Profile } from "../../../profile/profile.ts"
import { resolveProfile, withDefaults } from "../../../profile/resolve.ts"
import type { ToolSet } from "../../../prompt/tools/tool-set.ts"
import type { AgentContext } from "../../turn/turn-context.ts"

/** An agent behind a tool, as a profile declares it (R25). Each turn gives it the tools that it takes over. */
export interface ToolProcess {
  /** The name of the tool, and of the process in traces. */
  readonly name: string
  readonly settings: SettingsOf<typeof processKeys>
  readonly agent: AgentContext
}

interface ProcessParts {
  /** Models by the name of a process or an observer. */
  readonly models: Readonly<Record<string, LanguageModel>>
  /** Makes the context of a process. Without a model it uses the agent's own. */
  readonly make: (profile: Profile, model: LanguageModel | undefined) => AgentContext
}

/** Makes the processes that a profile declares (R25). Throws `profile` for a bad name, and for a model that nobody gave. */
export function toolProcesses(profile: Profile, { models, make }: ProcessParts): readonly ToolProcess[] {
  return Object.entries(profile.processes).flatMap(([name, given]): ToolProcess[] => {
    const settings = withDefaults(processKeys, given)
    if (!settings.enabled) return []
    if (!/^[A-Za-z_][\w-]{0,63}$/.test(name)) throw badName(profile, name)
    const model = givenModel(profile, { table: "processes", name, settings: given, models })
    return [{ name, settings, agent: make(processProfile(profile, name, given), model) }]
  })
}

/** Throws `tool-collision` for a process with the name of one of the agent's tools. */
export function checkProcessNames(processes: readonly ToolProcess[], tools: ToolSet): void {
  for (const { name } of processes) {
    if (tools.get(name) === undefined) continue
    throw new PromptStrataError("tool-collision", `A process and a tool are named ${JSON.stringify(name)}.`, {
      hint: `Rename the table [processes.${name}], or the tool.`,
      evidence: { tool: name, descriptions: [] },
    })
  }
}

/** The profile of a process: the agent's own settings, with those that the process sets in their place. It has no memory and no extensions. */
function processProfile(profile: Profile, name: string, { dialect, ...given }: ProcessSettings): Profile {
  const { locale, timeZone, agent, user, files, retry, tools } = profile
  return resolveProfile({
    ...{ name, locale, timeZone, agent, user, files, retry },
    dialect: dialect ?? defaultProcessDialect,
    loop: { ...profile.loop, ...given.loop },
    limits: { ...profile.limits, ...given.limits },
    budget: given.budget ?? profile.budget,
    model: { ...profile.model, ...given.model },
    tools: { maxResultCharacters: tools.maxResultCharacters, rules: tools.rules },
    memory: { enabled: false },
  })
}

function badName({ name: profile }: Profile, name: string): PromptStrataError {
  const message = `Profile ${JSON.stringify(profile)}: expected a process to have the name of a tool, found ${JSON.stringify(name)}.`
  const hint = "Begin with a letter or _, then use at most 63 letters, digits, _ or -."
  return new PromptStrataError("profile", message, { hint })
}

/** The schema of a coarse tool: one request, in a sentence. */
export function requestSchema(description: string | undefined): Record<string, unknown> {
  const request = { type: "string", ...(description === undefined ? {} : { description }) }
  return { type: "object", properties: { request }, required: ["request"], additionalProperties: false }
}

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
  const message = `Profile ${JSON.stringify(profile.name)}: expected the model ${JSON.stringify(id ?? baseUrl)} for ${table}.${name}, found none.`
  const hint = `Pass it to createAgent: models: { ${JSON.stringify(name)}: … }. Or leave out [${table}.${name}.model].`
  throw new PromptStrataError("profile", message, { hint })
}
