/** Runs tasks of one key one after the other, in the order in which they were enqueued, and tasks of different keys concurrently. */
export interface KeyedQueue {
  /**
   * Runs `task` once every earlier task of `key` has settled, and settles like the task. A failed task does not stop the next one.
   * A task must not await another task of its own key: the two would wait for each other.
   */
  enqueue<T>(key: string, task: () => T | Promise<T>): Promise<T>
  /** Resolves when no task runs or waits under any key, including tasks enqueued meanwhile. Never rejects. */
  idle(): Promise<void>
  /** The number of keys with a task that runs or waits. */
  readonly size: number
}

/** Creates an empty queue. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<void>>()

  function enqueue<T>(key: string, task: () => T | Promise<T>): Promise<T> {
    const running = (tails.get(key) ?? Promise.resolve()).then(task)
    const forget = () => {
      if (tails.get(key) === tail) tails.delete(key)
    }
    const tail: Promise<void> = running.then(forget, forget)
    tails.set(key, tail)
    return running
  }

  async function idle(): Promise<void> {
    while (tails.size > 0) await Promise.all(tails.values())
  }

  return {
    enqueue,
    idle,
    get size() {
      return tails.size
    },
  }
}
