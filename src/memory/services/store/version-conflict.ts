import type { ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"

/** The error that every store throws for a profile change that expects another version than the store has. */
export function versionConflict({ agent, user }: ServiceKey, expectedVersion: number, foundVersion: number): PromptStrataError {
  const message = `The profile of user ${JSON.stringify(user)} of agent ${JSON.stringify(agent)} is at version ${foundVersion}, not at ${expectedVersion} as this change expects: another turn changed it meanwhile.`
  const hint = "Nothing was written. Load the profile again and repeat the change."
  return new PromptStrataError("version-conflict", message, { hint, evidence: { agent, user, expectedVersion, foundVersion } })
}
