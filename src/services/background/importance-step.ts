import type { AskModel } from "../background-job.ts"
import { userProfileText } from "../user-profile-text.ts"
import { backgroundInjection } from "./background-injection.ts"
import { capReached } from "./daily-cap.ts"
import type { MemoryRun, StepResult } from "./memory-run.ts"
import { hasUserWords } from "./profile-step.ts"
import { readImportance } from "./read-importance.ts"
import { readJson } from "./read-json.ts"
import { readProfileFields } from "./read-profile-fields.ts"
import { dialogueInjection } from "./turn-words.ts"

/** Asks how important the words are (T32), for a batch together with what they say of the user. */
export async function importanceStep(run: MemoryRun, ask: AskModel, signal: AbortSignal): Promise<StepResult> {
  const cap = await capReached(run)
  if (cap !== undefined) return cap
  const isBatch = run.turns.length > 1 && run.options.userProfile !== undefined && hasUserWords(run)
  const output = isBatch
    ? await askBatch(run, ask, signal)
    : (await ask("importance", [dialogueInjection(run.turns)], { signal })).text
  const importance = readImportance(output)
  if (importance === undefined) return { outcome: "parse-error", message: "no number from 0 to 10 in the answer" }
  return { outcome: "ok", message: `importance ${importance}`, value: { importance } }
}

/** The part of the answer that tells the importance; the fields wait for the profile's step. */
async function askBatch(run: MemoryRun, ask: AskModel, signal: AbortSignal): Promise<string> {
  const profile = await run.options.userProfile?.get(run.key)
  const text = profile === undefined ? "" : userProfileText(profile, run.options.settings.profileCharacters)
  const asked = await ask("importance-and-profile", [dialogueInjection(run.turns), backgroundInjection("profile", text)], {
    signal,
  })
  const answer = readJson(asked.text)
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return asked.text
  const { profile: fields, ...rest } = answer as { readonly profile?: unknown }
  if (fields !== undefined) run.batchFields = readProfileFields(JSON.stringify(fields))
  return JSON.stringify(rest)
}
