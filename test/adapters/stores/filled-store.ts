import type { ServiceKey } from "../../../src/core/conversation.ts"
import type { Job } from "../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"

export const agent = "fay"

/** The key of a conversation whose user nobody else is. */
export function keyOf(conversation: string): ServiceKey {
  return { agent, conversation, audience: "private", user: `user-${conversation}` }
}

/** Gives each conversation a row in every table that has bodies. */
export async function fillBodies(store: Store, keys: readonly ServiceKey[]): Promise<void> {
  for (const key of keys) {
    const { conversation, user } = key
    const said = { role: "user" as const, speaker: { id: user, name: user }, atMs: 1 }
    const job: Job = { id: `job-${conversation}`, kind: "memory", key, turnId: "t1", atMs: 1, payload: {} }
    const append = [
      { ...said, turnId: "t1", text: "first" },
      { ...said, turnId: "t2", text: "second" },
    ]
    await store.commit(key, { expectVersion: 0, append, state: { large: "x".repeat(20_000), at: 1 }, jobs: [job] })
    await store.load(key)
    await store.commit(key, { expectVersion: 1, append: [], state: { large: "x".repeat(20_000), at: 2 }, jobs: [] })
    await store.post(key, { id: "n1", owner: "hook", value: 1 } as never)
    const memory = { ...key, id: `memory-${conversation}`, kind: "episode", text: "tea", turnId: "t1", atMs: 1, importance: 5 }
    await store.memories.put({ ...memory, speaker: said.speaker } as never, { hash: conversation, key })
    await store.memories.putVectors([{ memoryId: memory.id, model: "m", values: new Float32Array([1, -0.5]) }], key)
    const statement = { name: "drink", value: "tea", turnId: "t1", conversation, audience: "private", atMs: 1, confidence: 1 }
    await store.users.append([statement as never], { turnId: "t1", expectVersion: 0, key })
    const receipt = { key, kind: "importance", turnId: "t1", attempt: 1, durationMs: 1, startedMs: 0, outcome: "ok" } as const
    await store.receipts.put(receipt)
  }
}
