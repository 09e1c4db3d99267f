import { defined, filled } from "../../../core/value.ts"
import { loadJudging } from "../load-memories.ts"
import type { BackgroundJob } from "./background-job.ts"
import { type MemoryJobOptions, turnsOfBatch } from "./memory-job-options.ts"

/**
 * The job that follows each turn (T31): importance, profile, storing, reflection and missing embeddings, in this order. Each step has
 * its time limit and leaves a receipt (T33). When the job runs again, it skips the steps that are settled. A failed step changes
 * nothing that is known (T34).
 */
export function createMemoryJob(options: MemoryJobOptions): BackgroundJob {
  return {
    kind: "memory",
    // Enough to find the turn's messages later. They stay in the conversation only, so forgetting them there is enough.
    afterTurn({ key, memoryOn, memorySinceMs: sinceMs, turn, recalled = [], untrusted, forgot, messages }) {
      const times = messages.map(({ atMs }) => atMs)
      const hasWords = messages.some(({ text }) => text.trim() !== "")
      // A turn without memory ends the wait of those before it.
      if (!hasWords || !(memoryOn || turnsOfBatch(options, key) > 1)) return undefined
      return {
        turn,
        untrusted,
        count: messages.length,
        fromMs: Math.min(...times),
        untilMs: Math.max(...times),
        ...defined({ forgot: forgot || undefined, off: memoryOn ? undefined : true, recalled: filled(recalled), sinceMs }),
      }
    },
    mayWait: ({ key, turn }) => (turn + 1) % turnsOfBatch(options, key) !== 0,
    nextRunMs: options.memory && options.reflection?.nextRunMs,
    async run(job, context) {
      const { reflectOnSchedule, runMemoryJob } = await loadJudging()
      return job.payload.scheduledMs === undefined
        ? runMemoryJob(options, job, context)
        : reflectOnSchedule(options, job, context)
    },
  }
}
