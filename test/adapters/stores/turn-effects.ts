import { PromptStrataError } from "../../../src/core/errors.ts"
import type { Job } from "../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"

/**
 * Writes the results of a turn's background work, keyed by the turn: a memory, a revision of the user that counts one up, and a receipt
 * of each kind. If work counts from an old version or runs twice, the last number is wrong.
 */
export async function applyEffects(store: Store, { key, turnId, atMs }: Job): Promise<void> {
  await store.memories.put(
    {
      ...key,
      id: `memory of ${turnId}`,
      kind: "dialogue",
      text: turnId,
      speaker: { id: key.user, name: key.user },
      atMs,
      turnId,
      turn: 0,
    },
    { hash: turnId, key },
  )
  await countUp(store, { key, turnId, atMs })
  for (const kind of ["importance", "profile"])
    await store.receipts.put({ key, turnId, kind, outcome: "ok", attempt: 1, startedMs: atMs, durationMs: 0 })
}

async function countUp(store: Store, { key, turnId, atMs }: Pick<Job, "key" | "turnId" | "atMs">): Promise<void> {
  for (;;) {
    const { version, statements } = await store.users.load(key)
    const { conversation, audience } = key
    const value = String(Number(statements.at(-1)?.value ?? 0) + 1)
    const statement = { name: "turns", value, confidence: 1, atMs, turnId, conversation, audience }
    try {
      await store.users.append([statement], { turnId, expectVersion: version, key })
      return
    } catch (error) {
      if (!PromptStrataError.isInstance(error) || error.code !== "version-conflict") throw error
    }
  }
}
