import { PromptStrataError } from "../../core/errors.ts"
import type { AskModel } from "../background-job.ts"
import type { ProfileStatement, UserProfile, UserProfileService } from "../user-profile.ts"
import { userProfileText } from "../user-profile-text.ts"
import { backgroundInjection } from "./background-injection.ts"
import { capReached } from "./daily-cap.ts"
import type { MemoryRun, StepResult } from "./memory-run.ts"
import { type ProfileField, readProfileFields } from "./read-profile-fields.ts"
import { dialogueInjection } from "./turn-words.ts"

/** Said plainly, and said while nobody vouched for all that stood in the context. */
const usualConfidence = 0.8
const untrustedConfidence = 0.5
const maxConflicts = 8

/** Asks what the words say of the user, and adds what is new; an empty answer changes nothing (T34). */
export async function profileStep(
  run: MemoryRun,
  service: UserProfileService,
  ask: AskModel,
  signal: AbortSignal,
): Promise<StepResult> {
  // What the agent says where nobody spoke (R27) tells nothing new of the user.
  if (!hasUserWords(run)) return { outcome: "skipped", message: "nobody spoke" }
  const profile = await service.get(run.key)
  let fields = run.batchFields
  if (fields === undefined) {
    const cap = await capReached(run)
    if (cap !== undefined) return cap
    const text = userProfileText(profile, run.options.settings.profileCharacters)
    const injections = [dialogueInjection(run.turns), backgroundInjection("profile", text)]
    fields = readProfileFields((await ask("user-profile", injections, { signal })).text)
  }
  if (fields === undefined) return { outcome: "parse-error", message: "no JSON object in the answer" }
  return keep(run, service, { profile, fields, signal })
}

/** True where somebody other than the agent spoke in the turns. */
export function hasUserWords({ turns }: MemoryRun): boolean {
  return turns.some(({ messages }) => messages.some(({ role }) => role === "user"))
}

/** Another turn of the user may have changed the profile meanwhile: then what is new is looked at again. */
async function keep(
  run: MemoryRun,
  service: UserProfileService,
  found: { readonly profile: UserProfile; readonly fields: readonly ProfileField[]; readonly signal: AbortSignal },
): Promise<StepResult> {
  let { profile } = found
  for (let conflicts = 0; ; conflicts++) {
    const statements = statementsOf(run, found.fields, profile)
    if (statements.length === 0) return { outcome: "empty", message: "nothing new" }
    await run.expectWanted(found.signal)
    try {
      await service.put(statements, profile.version, run.key)
      return { outcome: "ok", message: `${statements.length} fields`, value: { fields: statements.length } }
    } catch (error) {
      const isConflict = PromptStrataError.isInstance(error) && error.code === "version-conflict"
      if (!isConflict || conflicts >= maxConflicts) throw error
      profile = await service.get(run.key)
    }
  }
}

function statementsOf(
  { job, turns }: MemoryRun,
  fields: readonly ProfileField[],
  profile: UserProfile,
): readonly ProfileStatement[] {
  const known = new Set(profile.fields.map(({ name, value }) => JSON.stringify([name, value])))
  const { conversation, audience } = job.key
  const doubt = turns.some(({ untrusted }) => untrusted) ? untrustedConfidence : usualConfidence
  return fields.flatMap(({ name, value, confidence = usualConfidence }) => {
    if (known.has(JSON.stringify([name, value]))) return []
    return [
      {
        name,
        value,
        confidence: Math.min(confidence, doubt === untrustedConfidence ? doubt : 1),
        atMs: job.atMs,
        turnId: job.turnId,
        conversation,
        audience,
      },
    ]
  })
}
