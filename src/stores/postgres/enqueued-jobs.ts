/** The jobs that turns of this process left behind: what a process that ends does itself, if no other has begun it. */
export interface EnqueuedJobs {
  /** Whether its transaction succeeds is not known yet. */
  add(queue: string, id: string): void
  /** The ids of a queue's, or all. */
  ids(queue?: string): readonly string[]
}

/** Those that are older will have been done by somebody. */
const kept = 1_000

/** None yet. */
export function enqueuedJobs(): EnqueuedJobs {
  const queues = new Map<string, string>()
  return {
    add(queue, id) {
      queues.set(id, queue)
      const [oldest] = queues.keys()
      if (queues.size > kept && oldest !== undefined) queues.delete(oldest)
    },
    ids: (queue) => [...queues].flatMap(([id, own]) => (queue === undefined || own === queue ? [id] : [])),
  }
}
