import { PromptStrataError } from "../../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../../core/graphemes.ts"
import { isRecord } from "../../../core/json-access.ts"
import { counted } from "../store/receipt.ts"
import type { ProfileStatement } from "../store/records.ts"
import { fieldName, splitByAge, type UserProfile, type UserProfileService, userProfileText } from "../user-profile.ts"
import { backgroundInjection, dialogueInjection, type TurnWords } from "./dialogue.ts"
import type { LaterResult, MemoryRun, ProfileField, Step, StepResult } from "./memory-run.ts"
import { readAnswer } from "./read-json.ts"

/** The confidence of fields if the model gave none, and the most that fields have if untrusted output stood in the context. */
const usualConfidence = 0.8
const untrustedConfidence = 0.5
const maxConflicts = 8

/** Asks a model what the messages say about the user, and adds what is new. An empty answer changes nothing (T34). */
export async function profileStep({ run, ask, signal }: Step, service: UserProfileService): Promise<StepResult | LaterResult> {
  // Words of the agent alone (R27) say nothing new about the user.
  if (!hasUserWords(run) && (await heardOfUser(run)).length === 0) return { outcome: "skipped", message: "nobody spoke" }
  const turns = [...(await heardOfUser(run)), ...run.turns]
  const said = turns.flatMap(({ messages }) => messages)
  const own = await run.options.facts?.(said, run.key, { signal })
  let fields = own === undefined ? run.batchFields : readProfileFields(JSON.stringify(own), Number.POSITIVE_INFINITY)
  let isCut = false
  const profile = fields !== undefined && run.isTogether ? emptyProfile : await service.get(run.key)
  if (fields === undefined) {
    const text =
      (await run.options.documents?.text("user", run.key, { signal })) ??
      userProfileText(profile, run.options.settings.profileCharacters)
    const injections = [dialogueInjection(turns), backgroundInjection("profile", text)]
    const answer = (await ask("user-profile", injections, { signal })).text
    fields = readProfileFields(answer, Number.POSITIVE_INFINITY)
    isCut = readAnswer(answer).isCut
  }
  if (fields === undefined) return { outcome: "parse-error", message: "no JSON object in the answer" }
  if (isCut && !run.isLastAnswer("profile")) return { outcome: "parse-error", message: "the answer is cut" }
  const found = fields.slice(0, maxFields)
  const short = found.filter((each) => each.isCut).length
  const over = `${fields.length > maxFields ? `, ${fields.length - maxFields} too many` : ""}${short > 0 ? `, ${short} cut short` : ""}`
  const cut = isCut ? run.unread("profile", { outcome: "parse-error", message: ", the answer is cut" }) : { message: "" }
  const told = (result: StepResult): StepResult => ({ ...result, ...cut, message: `${result.message}${over}${cut.message}` })
  if (!run.isTogether) return told(await keep({ run, ask, signal }, service, { profile, fields: found }))
  const statementsOf = (known: readonly ProfileStatement[]) => addedStatements(run, found, splitByAge(known).fields)
  return { work: { statementsOf }, resultOf: ({ statements }) => told(statements === 0 ? nothingNew : keptFields(statements)) }
}

const emptyProfile: UserProfile = { version: 0, fields: [], history: [] }
const nothingNew = { outcome: "empty", message: "nothing new" } as const
const keptFields = (count: number): StepResult => ({ outcome: "ok", message: counted(count, "field"), value: { fields: count } })

/**
 * The words of the profile's own user that stand before the turns without an answer of their own, such as those that share one with
 * others. What others said is no part of this user's profile.
 */
export async function heardOfUser(run: MemoryRun): Promise<readonly TurnWords[]> {
  const { heard } = await run.heard()
  return heard.filter(({ messages }) => messages.every(({ speaker }) => speaker.id === run.key.user))
}

/** True if a user spoke in the turns. */
export function hasUserWords({ turns }: MemoryRun): boolean {
  return turns.some(({ messages }) => messages.some(({ role }) => role === "user"))
}

/** Adds the new fields. If another turn changed the profile meanwhile, it compares again with the changed profile. */
async function keep(
  { run, signal }: Step,
  service: UserProfileService,
  found: { readonly profile: UserProfile; readonly fields: readonly ProfileField[] },
): Promise<StepResult> {
  let { profile } = found
  for (let conflicts = 0; ; conflicts++) {
    const statements = addedStatements(run, found.fields, profile.fields)
    if (statements.length === 0) return nothingNew
    await run.expectWanted(signal)
    try {
      await service.put(statements, profile.version, run.key, { ofTurn: true })
      return keptFields(statements.length)
    } catch (error) {
      const isConflict = PromptStrataError.isInstance(error) && error.code === "version-conflict"
      if (!isConflict || conflicts >= maxConflicts) throw error
      profile = await service.get(run.key)
    }
  }
}

/** The statements that fields add to those that hold. */
function addedStatements(
  { job, turns }: MemoryRun,
  fields: readonly ProfileField[],
  holding: readonly ProfileStatement[],
): readonly ProfileStatement[] {
  const known = new Set(holding.map(({ name, value }) => JSON.stringify([name, value])))
  const { conversation, audience } = job.key
  const mostConfidence = turns.some(({ untrusted }) => untrusted) ? untrustedConfidence : 1
  const { atMs, turnId } = job
  const byField = new Map(holding.map((held) => [fieldName(held.name), held]))
  return fields.flatMap(({ name, value, confidence = usualConfidence }): ProfileStatement[] => {
    const said = { confidence: Math.min(confidence, mostConfidence), atMs, turnId, conversation, audience }
    const held = byField.get(fieldName(name))
    if (value === undefined) return held === undefined ? [] : [{ name: held.name, value: held.value, ended: true, ...said }]
    return known.has(JSON.stringify([name, value])) ? [] : [{ name, value, ...said }]
  })
}

const maxFields = 24
const maxNameCharacters = 60
const maxValueCharacters = 500
const maxDepth = 3

/** Reads the profile fields in a model's answer; undefined if it cannot be read. No fields are a good answer, a blank value is no field (T34), and `null` ends one (M17). */
export function readProfileFields(output: string, most = maxFields): readonly ProfileField[] | undefined {
  const value = readAnswer(output).answer
  if (typeof value !== "object" || value === null) return undefined
  // A confused model decides as in a turn. That says nothing of the user.
  if ("action" in value && ("message" in value || "tool" in value)) return undefined
  const found = Array.isArray(value) ? value.flatMap(fieldsOfItem) : fieldsOf(value, "", 0)
  const named = new Map(found.map((field) => [field.name, field]))
  return [...named.values()].slice(0, most)
}

/** `{"field": "city", "value": "Hangzhou"}`, or an object of fields. */
function fieldsOfItem(item: unknown): ProfileField[] {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return []
  const members = new Map(Object.entries(item))
  const name = members.get("field") ?? members.get("name") ?? members.get("字段名")
  return typeof name === "string" && members.has("value") ? fieldsOf({ [name]: item }, "", 0) : fieldsOf(item, "", 0)
}

function fieldsOf(object: object, prefix: string, depth: number): ProfileField[] {
  return Object.entries(object).flatMap(([key, value]: [string, unknown]) => {
    const name = prefix === "" ? key.trim() : `${prefix}.${key.trim()}`
    if (isRecord(value) && !("value" in value)) return depth < maxDepth ? fieldsOf(value, name, depth + 1) : []
    const stated: unknown = isRecord(value) ? value.value : value
    const confidence: unknown = isRecord(value) ? value.confidence : undefined
    return field(name, stated === null ? undefined : statedText(stated), confidence)
  })
}

function field(name: string, value: string | undefined, confidence: unknown): ProfileField[] {
  if (name === "" || value === "") return []
  const isShare = typeof confidence === "number" && confidence >= 0 && confidence <= 1
  const shortValue = value === undefined ? undefined : cut(value, maxValueCharacters)
  const isCut = name.length > maxNameCharacters || shortValue !== value || undefined
  return [{ name: cut(name, maxNameCharacters), value: shortValue, confidence: isShare ? confidence : undefined, isCut }]
}

function statedText(value: unknown): string {
  if (typeof value === "string") return value.trim()
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (Array.isArray(value)) return value.map(statedText).filter(Boolean).join(", ")
  return ""
}

function cut(text: string, characters: number): string {
  return text.slice(0, graphemeBoundaryBefore(text, characters))
}
