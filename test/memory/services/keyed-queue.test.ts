import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createKeyedQueue } from "../../../src/memory/services/keyed-queue.ts"

/** A task that the test finishes by hand. */
function gate() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { task: () => promise, resolve, reject }
}

describe("createKeyedQueue", () => {
  test("tasks of one key run one after the other, in order", async () => {
    const queue = createKeyedQueue()
    const log: string[] = []
    const first = gate()
    const a = queue.enqueue("k", async () => {
      log.push("a starts")
      await first.task()
      log.push("a ends")
    })
    const b = queue.enqueue("k", () => log.push("b starts"))
    await Promise.resolve()
    await Promise.resolve()
    expect(log).toEqual(["a starts"])
    first.resolve("")
    await Promise.all([a, b])
    expect(log).toEqual(["a starts", "a ends", "b starts"])
  })

  test("another key does not wait", async () => {
    const queue = createKeyedQueue()
    const stuck = gate()
    const waiting = queue.enqueue("stuck", stuck.task)
    expect(await queue.enqueue("free", () => "done")).toBe("done")
    stuck.resolve("late")
    expect(await waiting).toBe("late")
  })

  test.each([
    ["rejects", () => Promise.reject(new Error("no"))],
    [
      "throws before its first await",
      () => {
        throw new Error("no")
      },
    ],
  ])("a task that %s fails alone: the next one runs", async (_, failing: () => Promise<never>) => {
    const queue = createKeyedQueue()
    const failed = queue.enqueue("k", failing)
    const next = queue.enqueue("k", () => "fine")
    await expect(failed).rejects.toThrow("no")
    expect(await next).toBe("fine")
  })

  test("a key without work is forgotten, also after a failure", async () => {
    const queue = createKeyedQueue()
    const failures: unknown[] = []
    for (let n = 0; n < 100; n++) queue.enqueue(`key ${n}`, () => (n % 2 ? Promise.reject(n) : n)).catch((e) => failures.push(e))
    expect(queue.size).toBe(100)
    await queue.idle()
    expect(queue.size).toBe(0)
    expect(failures).toHaveLength(50)
  })

  test("idle waits for what is enqueued while it waits, and settles at once when nothing runs", async () => {
    const queue = createKeyedQueue()
    await queue.idle()
    const log: string[] = []
    void queue.enqueue("a", () => {
      void queue.enqueue("b", async () => {
        await new Promise((resolve) => setImmediate(resolve))
        log.push("enqueued later")
      })
    })
    await queue.idle()
    expect(log).toEqual(["enqueued later"])
  })

  test("a task enqueued while the second of two runs waits for it", async () => {
    const queue = createKeyedQueue()
    const log: string[] = []
    const second = gate()
    await Promise.all([queue.enqueue("k", () => log.push("first"))])
    const b = queue.enqueue("k", () => log.push("second starts"))
    const c = queue.enqueue("k", second.task).then(() => log.push("third ends"))
    await b
    const d = queue.enqueue("k", () => log.push("fourth starts"))
    await new Promise((resolve) => setImmediate(resolve))
    expect(log).toEqual(["first", "second starts"])
    second.resolve("")
    await Promise.all([c, d])
    expect(log.slice(2).toSorted()).toEqual(["fourth starts", "third ends"])
  })

  test("under any interleaving, each key's tasks run in order and never overlap, and every key gets its own results", async () => {
    const jobs = fc.array(
      fc.record({ key: fc.constantFrom("a", "b", "c"), fails: fc.boolean(), steps: fc.integer({ min: 0, max: 3 }) }),
    )
    await fc.assert(
      fc.asyncProperty(jobs, fc.scheduler(), async (tasks, scheduler) => {
        const queue = createKeyedQueue()
        const running = new Map<string, number>()
        const started = new Map<string, number[]>()
        const outcomes = tasks.map(({ key, fails, steps }, index) =>
          queue.enqueue(key, async () => {
            expect(running.has(key)).toBe(false)
            running.set(key, index)
            started.set(key, [...(started.get(key) ?? []), index])
            for (let step = 0; step < steps; step++) await scheduler.schedule(Promise.resolve(), `${key} ${index}`)
            running.delete(key)
            if (fails) throw new Error(`task ${index}`)
            return index
          }),
        )
        const settled = Promise.allSettled(outcomes)
        await scheduler.waitFor(settled)
        await queue.idle()
        expect(queue.size).toBe(0)
        for (const [key, order] of started) expect(order).toEqual(indexesOf(tasks, key))
        const summary = (await settled).map((o) => (o.status === "fulfilled" ? o.value : (o.reason as Error).message))
        expect(summary).toEqual(tasks.map(({ fails }, index) => (fails ? `task ${index}` : index)))
      }),
      { numRuns: 300 },
    )
  })
})

function indexesOf(tasks: readonly { readonly key: string }[], key: string): number[] {
  return tasks.flatMap((task, index) => (task.key === key ? [index] : []))
}

test("begins only some tasks of many keys at once, in their order, and keeps the order of each key", async () => {
  const queue = createKeyedQueue(4)
  const begun: string[] = []
  const stuck = gate()
  const begin = (name: string) => () => {
    begun.push(name)
    return stuck.task()
  }
  const all = Array.from({ length: 11 }, (_, at) => queue.enqueue(`key ${at}`, begin(`${at}`)))
  const second = queue.enqueue("key 5", begin("5 again"))
  for (let microtask = 0; microtask < 100; microtask++) await Promise.resolve()
  expect(begun).toEqual(["0", "1", "2", "3"])
  while (begun.length < 11) await new Promise(setImmediate)
  expect(begun).toEqual(Array.from({ length: 11 }, (_, at) => `${at}`))
  stuck.resolve("")
  await Promise.all([...all, second])
  expect(begun.at(-1)).toBe("5 again")
  expect(queue.size).toBe(0)
})
