import { loadMemories } from "../load-memories.ts"
import type { BackgroundJob } from "./background-job.ts"
import type { MemoryJobOptions } from "./memory-job-options.ts"

/**
 * The job that follows each turn (T31): importance, profile, storing, reflection and missing embeddings, in this order. Each step has
 * its time limit and leaves a receipt (T33). When the job runs again, it skips the steps that are settled. A failed step changes
 * nothing that is known (T34).
 */
export function createMemoryJob(options: MemoryJobOptions): BackgroundJob {
  return {
    kind: "memory",
    // Enough to find the turn's messages later. They stay in the conversation only, so forgetting them there is enough.
    afterTurn({ memoryOn, memorySinceMs: sinceMs, turn, recalled = [], untrusted, forgot, messages }) {
      let hasWords = false
      let [fromMs, untilMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      for (const { text, atMs } of messages) {
        hasWords ||= text.trim() !== ""
        fromMs = Math.min(fromMs, atMs)
        untilMs = Math.max(untilMs, atMs)
      }
      if (!memoryOn || !hasWords) return undefined
      return {
        turn,
        untrusted,
        count: messages.length,
        fromMs,
        untilMs,
        ...(forgot ? { forgot } : {}),
        ...(recalled.length ? { recalled } : {}),
        ...(sinceMs === undefined ? {} : { sinceMs }),
      }
    },
    mayWait: ({ key, turn }) => key.audience === "private" && (turn + 1) % Math.max(1, options.settings.batchTurns) !== 0,
    nextRunMs: options.memory && options.reflection?.nextRunMs,
    async run(job, context) {
      const { reflectOnSchedule, runMemoryJob } = await loadMemories()
      return job.payload.scheduledMs === undefined
        ? runMemoryJob(options, job, context)
        : reflectOnSchedule(options, job, context)
    },
  }
}
