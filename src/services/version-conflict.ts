import { PromptStrataError } from "../core/errors.ts"
import type { ServiceKey } from "../core/keys.ts"

/** The error of a profile's change that expects another version than the store has; every store throws this one. */
export function versionConflict({ agent, user }: ServiceKey, expectedVersion: number, foundVersion: number): PromptStrataError {
  return new PromptStrataError(
    "version-conflict",
    `The profile of user ${JSON.stringify(user)} of agent ${JSON.stringify(agent)} is at version ${foundVersion}, not at ${expectedVersion} as this change expects: another turn changed it meanwhile.`,
    {
      hint: "Nothing was written. Load the profile again and repeat the change.",
      evidence: { agent, user, expectedVersion, foundVersion },
    },
  )
}
