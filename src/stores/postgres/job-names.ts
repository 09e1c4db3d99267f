import { createHash } from "node:crypto"
import type { SessionKey } from "../../core/keys.ts"

/** Where jobs lie that failed for good. */
export const deadQueue = "promptstrata-dead"

/** What the queues of every agent begin with. */
export const queuePrefix = "promptstrata/"

/** The queue of an agent's jobs: each has its own, so that no process takes a job of an agent that it does not run. */
export function queueOf(agent: string): string {
  return queuePrefix + digest(agent)
}

/** The key within an agent's queue by which jobs stand in line: its conversation. */
export function lineOf({ conversation, audience }: Pick<SessionKey, "conversation" | "audience">): string {
  return digest([audience, conversation])
}

/** Queue names and keys take few characters and have a limited length. */
function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 40)
}
