/** Runs tasks of one key in the order they were enqueued and tasks of different keys side by side. */
export interface KeyedQueue {
  /**
   * Runs `task` once every earlier task of `key` has settled, and settles as it does; a failed task never stops the next.
   * A task must not await another task of its own key: that one waits for it.
   */
  enqueue<T>(key: string, task: () => T | Promise<T>): Promise<T>
  /** Settles when nothing runs or waits under any key, including what was enqueued meanwhile. Never rejects. */
  idle(): Promise<void>
  /** How many keys have a task that runs or waits; an idle key is forgotten. */
  readonly size: number
}

/** An empty queue. */
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
