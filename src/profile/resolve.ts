import { checkOneArgument, checkType } from "../core/check-options.ts"
import { PromptStrataError } from "../core/errors.ts"
import { listOf, recordOf } from "../core/json-access.ts"
import { isText, type TrustedText } from "../core/value.ts"
import { describeProblem, wrongValues } from "./check-keys.ts"
import type { InputOf, Keys, SettingsOf, ValueType } from "./key.ts"
import type { Profile, ProfileInput } from "./profile.ts"
import { profileKeys } from "./profile-keys.ts"

const { keys } = profileKeys

/**
 * Fills every default and yields a whole profile; a whole profile comes back equal. `resolveProfile({ ...profile, … })`
 * changes parts of one. A value that its key does not take, such as a number out of its bounds or a blank name, and an unknown key
 * throw `profile`, naming each such path.
 */
export function resolveProfile(input: ProfileInput = {}, ...more: readonly never[]): Profile {
  checkOneArgument("resolveProfile", more)
  checkType("the profile of resolveProfile", input, "object")
  refuse(input, [...wrongValues(profileKeys.type, input).map(describeProblem), ...toolsNotMade(input)])
  const { name, locale } = withDefaults({ name: keys.name, locale: keys.locale }, input)
  const { agent, user, persona, format, final } = input
  return withDefaults(keys, {
    ...input,
    agent: { ...agent, id: agent?.id ?? name, name: agent?.name ?? name },
    user: { ...user, name: user?.name ?? defaultUserName(locale) },
    persona: asText(persona),
    format: asText(format),
    budget: withReserve(input.budget),
    final: { system: asText(final?.system) },
  })
}

function refuse({ name = keys.name.default }: ProfileInput, problems: readonly string[]): void {
  if (problems.length === 0) return
  const all = problems.join("; ")
  throw new PromptStrataError("profile", `Profile ${JSON.stringify(name)}: ${all}${all.endsWith("?") ? "" : "."}`, {
    evidence: { problems: problems.map((message) => ({ message })) },
  })
}

/** The settings of a table: everything that is given, and the default of every other key that has one. `undefined` sets nothing. */
export function withDefaults<K extends Keys>(of: K, given: InputOf<K>): SettingsOf<K> {
  return filled(of, given) as SettingsOf<K>
}

function filled(of: Keys, given: object): object {
  const values = Object.entries(of).map(([name, { type, presence, default: fallback }]): [string, unknown] => {
    const own = (given as Readonly<Record<string, unknown>>)[name]
    const empty = type.kind === "table" && presence === "filled" ? {} : fallback
    return [name, completed(type, own === undefined ? copyOf(empty) : own)]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** A default that nobody shares. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...value]
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype ? { ...value } : value
}

function completed(type: ValueType, value: unknown): unknown {
  if (type.kind === "table" && value !== undefined) return filled(type.keys, value as object)
  if (type.kind === "list" && type.of.kind === "table")
    return (value as readonly unknown[]).map((item) => completed(type.of, item))
  if (type.kind === "map" && typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined))
  return value
}

/** A budget with its reserves. Of a small budget at most a quarter is reserved for the answer, and a quarter for later steps. */
function withReserve(budget: ProfileInput["budget"] = {}): ProfileInput["budget"] {
  if (budget.tokens === undefined) return budget
  const { answerTokens, stepTokens } = withDefaults(keys.budget.keys, {})
  const quarter = Math.floor(budget.tokens / 4)
  return {
    tokens: budget.tokens,
    answerTokens: budget.answerTokens ?? Math.min(answerTokens, quarter),
    stepTokens: budget.stepTokens ?? Math.min(stepTokens, quarter),
  }
}

/** The user's name if neither the profile nor the persona gives one. */
export function defaultUserName(locale: string): string {
  return locale.startsWith("zh") ? "用户" : "User"
}

function asText(content: string | TrustedText | undefined): TrustedText | undefined {
  if (content === undefined) return undefined
  return typeof content !== "string" && isText(content) ? content : { text: content, trust: "author" }
}

/** A name alone brings no tool: `loadProfile` makes the tools, code passes them. */
function toolsNotMade({ tools }: ProfileInput): string[] {
  const made = new Set(listOf(tools?.builtin).map((tool) => recordOf(tool).name))
  // An object from code without types may hold anything; the check of its values tells of that.
  return listOf(tools?.enabled)
    .filter((name) => typeof name === "string" && !made.has(name))
    .map((name) => `tools.enabled: expected the tool ${JSON.stringify(name)} in tools.builtin, found none`)
}
