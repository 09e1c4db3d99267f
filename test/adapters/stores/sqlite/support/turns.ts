import type { ServiceKey } from "../../../../../src/core/conversation.ts"
import type { SessionCommit } from "../../../../../src/memory/services/store/session-store.ts"

/** The agent of these tests. */
export const agent = "fay"

/** A turn of a conversation: two messages and a job. */
export function turnOf(
  turnId: string,
  conversation: string,
  owner = agent,
): { readonly key: ServiceKey; readonly commit: Omit<SessionCommit, "expectVersion"> } {
  const user = `user of ${conversation}`
  const key: ServiceKey = { agent: owner, conversation, audience: "private", user }
  const said = { turnId, text: turnId, atMs: 1_000 }
  return {
    key,
    commit: {
      append: [
        { ...said, role: "user", speaker: { id: user, name: "Ann" } },
        { ...said, role: "assistant", speaker: { id: owner, name: "Fay" } },
      ],
      state: { last: turnId },
      jobs: [{ id: `job of ${turnId}`, kind: "work", key, turnId, atMs: 1_000, payload: {} }],
    },
  }
}
