import type { SessionKey } from "../core/keys.ts"

/** One string for one session. */
export function sessionId({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}
