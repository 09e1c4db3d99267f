import type { BackgroundJob } from "../background-job.ts"
import type { MemoryJobOptions } from "./memory-job-options.ts"
import { turnPayload } from "./turn-words.ts"

/**
 * What follows each turn (T31): importance, profile, storing, reflection and its insights, in this order, each within its time limit
 * and with a receipt (T33). A step that is settled is not run again when the job is; a failed one leaves what is known as it was (T34).
 */
export function createMemoryJob(options: MemoryJobOptions): BackgroundJob {
  return {
    kind: "memory",
    afterTurn: (turn) => (turn.memoryOn ? turnPayload(turn) : undefined),
    async run(job, context) {
      // Loaded with the first job: most of it is for reading what models answer.
      const { runMemoryJob } = await import("./run-memory-job.ts")
      return runMemoryJob(options, job, context)
    },
  }
}
