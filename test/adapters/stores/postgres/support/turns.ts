import type { HistoryMessage, ServiceKey } from "../../../../../src/core/conversation.ts"
import type { Job } from "../../../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../../../src/memory/services/store/store.ts"

/** A key of the tests' agent. */
export function keyOf(conversation: string, { agent = "fay", user = "ann" } = {}): ServiceKey {
  return { agent, conversation, audience: "private", user }
}

/** A user's message. */
export function said(turnId: string, user = "ann"): HistoryMessage {
  return { role: "user", turnId, speaker: { id: user, name: user }, text: turnId, atMs: 1_000 }
}

/** A job of a turn. */
export function jobOf(id: string, key: ServiceKey, { kind = "work", turnId = id, payload = {} }: Partial<Job> = {}): Job {
  return { id, kind, key, turnId, atMs: 1_000, payload }
}

/** Commits the turn of the first job, with all jobs, after the newest commit. */
export async function commitJobs(store: Store, key: ServiceKey, jobs: readonly Job[]): Promise<void> {
  const record = await store.load(key, { last: 0 })
  const turnId = jobs[0]?.turnId ?? "turn"
  const append = [said(turnId, key.user), { ...said(turnId), role: "assistant" as const }]
  await store.commit(key, { expectVersion: record?.version ?? 0, append, state: {}, jobs })
}
