import { hostTimers } from "../../core/ports.ts"

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

/**
 * Creates an empty queue. Once there are `atOnce` keys, the first task of another waits for a later round of the event loop, in which
 * so many begin: a thousand tasks of the same moment would otherwise keep the process from all other work until the last has begun.
 */
export function createKeyedQueue(atOnce = Number.POSITIVE_INFINITY): KeyedQueue {
  const tails = new Map<string, Promise<void>>()
  const waiting: (() => void)[] = []

  function beginSome(): void {
    for (const begin of waiting.splice(0, atOnce)) begin()
    if (waiting.length > 0) hostTimers.set(beginSome, 0)
  }

  /** The beginning of a key's first task. The host's timers, because nothing waits for a time here. */
  function round(): Promise<void> {
    if (waiting.length === 0) hostTimers.set(beginSome, 0)
    return new Promise((begin) => waiting.push(begin))
  }

  function enqueue<T>(key: string, task: () => T | Promise<T>): Promise<T> {
    const before = tails.get(key) ?? (tails.size < atOnce ? Promise.resolve() : round())
    const running = before.then(task)
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
