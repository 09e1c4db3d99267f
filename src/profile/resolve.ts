import { PromptStrataError } from "../core/errors.ts"
import { isText, type TrustedText } from "../core/value.ts"
import type { RecallWeights } from "../services/recall/recall-weights.ts"
import { profileProblems } from "./check.ts"
import { defaultReserve, defaultUserName, profileDefaults } from "./defaults.ts"
import type {
  ContextSettings,
  DocumentsSettings,
  FilesSettings,
  MemorySettings,
  OutputSettings,
  PrestartSettings,
  Profile,
  RetrySettings,
  ToolSettings,
} from "./profile.ts"
import type { PrestartInput, ProfileInput } from "./profile-input.ts"

/**
 * Fills every default and yields a whole profile; a whole profile comes back equal. `resolveProfile({ ...profile, … })`
 * changes parts of one. A number out of its bounds or a blank name throws `profile`, naming each such path.
 */
export function resolveProfile(input: ProfileInput = {}): Profile {
  const name = input.name ?? profileDefaults.name
  const locale = input.locale ?? profileDefaults.locale
  const { budget, model, format, final, documents, timeZone } = input
  const profile: Profile = {
    name,
    locale,
    dialect: input.dialect ?? profileDefaults.dialect,
    ...(timeZone === undefined ? {} : { timeZone }),
    agent: filled<Profile["agent"]>({ id: name, name }, input.agent),
    user: filled({ name: defaultUserName(locale) }, input.user),
    persona: asText(input.persona ?? ""),
    ...(format === undefined ? {} : { format: asText(format) }),
    variables: filled({}, input.variables),
    skills: input.skills ?? [],
    plugins: input.plugins ?? [],
    context: filled<ContextSettings>(profileDefaults.context, input.context),
    output: filled<OutputSettings>(profileDefaults.output, input.output),
    ...(documents === undefined ? {} : { documents: filled<DocumentsSettings>(profileDefaults.documents, documents) }),
    files: filled<FilesSettings>(profileDefaults.files, input.files),
    loop: filled(profileDefaults.loop, input.loop),
    limits: filled(profileDefaults.limits, input.limits),
    history: filled(profileDefaults.history, input.history),
    budget: filled(defaultReserve(budget?.tokens), budget),
    tools: filled<ToolSettings>(profileDefaults.tools, input.tools),
    prestart: (input.prestart ?? []).map(resolvePrestart),
    model: filled({}, model),
    retry: filled<RetrySettings>(profileDefaults.retry, input.retry),
    memory: filled<MemorySettings>(profileDefaults.memory, input.memory),
    recallWeights: filled<RecallWeights>(profileDefaults.recallWeights, input.recallWeights),
    mcp: input.mcp ?? { servers: {} },
    final: final?.system === undefined ? {} : { system: asText(final.system) },
  }
  const problems = profileProblems(profile)
  if (problems.length === 0) return profile
  throw new PromptStrataError("profile", `Profile ${JSON.stringify(name)}: ${problems.join("; ")}.`, { evidence: { problems } })
}

function resolvePrestart({ tool, args, includeHistory, timeoutMs }: PrestartInput): PrestartSettings {
  return { tool, args: args ?? {}, includeHistory: includeHistory ?? false, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

function asText(content: string | TrustedText): TrustedText {
  return typeof content !== "string" && isText(content) ? content : { text: content, trust: "author" }
}

/** `defaults` with what `input` sets; `undefined` sets nothing. */
function filled<T extends object>(defaults: T, input: Partial<T> = {}): T {
  const set = Object.entries(input).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}
