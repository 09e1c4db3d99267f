import { PromptStrataError } from "../core/errors.ts"
import type { SessionKey } from "../core/keys.ts"

/** The error of a commit that expects another version than the store has; every store throws this one. */
export function sessionConflict(
  { agent, conversation, audience }: SessionKey,
  expectedVersion: number,
  foundVersion: number,
): PromptStrataError {
  return new PromptStrataError(
    "session-conflict",
    `Session ${JSON.stringify(conversation)} of agent ${JSON.stringify(agent)} is at version ${foundVersion}, not at ${expectedVersion} as this commit expects: another turn was committed meanwhile.`,
    {
      hint: "Nothing was written. Load the session again and repeat the turn.",
      evidence: { agent, conversation, audience, expectedVersion, foundVersion },
    },
  )
}
