import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { EnqueuedJobs } from "../../../../src/adapters/stores/postgres/sql-jobs.ts"
import {
  jobRowOf,
  jobUuid,
  lineOf,
  queueOf,
  readDeadJob,
  readJob,
  storeDeadJob,
  storeJob,
} from "../../../../src/adapters/stores/postgres/stored-job.ts"
import type { Job } from "../../../../src/memory/services/store/job-runner.ts"

/** Any string, also one that databases refuse. */
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("\0", "\ud800", '"', "a\0b", ""))

const job: fc.Arbitrary<Job> = fc.record({
  id: text,
  kind: text,
  key: fc.record({
    agent: text,
    conversation: text,
    audience: fc.constantFrom("private" as const, "group" as const),
    user: text,
  }),
  turnId: text,
  atMs: fc.integer(),
  payload: fc.dictionary(fc.string({ unit: "grapheme", minLength: 1 }), text),
})

describe("a job as a row", () => {
  test("comes back as it was, alone and as a dead letter, and JSON in PostgreSQL can hold it", () => {
    fc.assert(
      fc.property(job, text, fc.nat(), (given, error, attempts) => {
        expect(readJob(storeJob(given))).toEqual(given)
        const dead = { job: given, error, attempts }
        expect(readDeadJob(storeDeadJob(dead))).toEqual(dead)
        const row = Object.values(storeDeadJob(dead)).join("")
        expect(row.isWellFormed() && !row.includes("\0")).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test("has an id that pg-boss takes: the same for the same id, another for another", () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(jobUuid(one)).toMatch(uuid)
        expect(jobUuid(one) === jobUuid(other)).toBe(one === other)
      }),
    )
  })

  test("stands in the line of its conversation, which no other shares", () => {
    const sessions = [
      { conversation: "a", audience: "private" },
      { conversation: "a", audience: "group" },
      { conversation: "group", audience: "private" },
    ] as const
    const work = { id: "0", kind: "work", turnId: "t", atMs: 0, payload: {} }
    const jobs: Job[] = sessions.map((key) => ({ ...work, key: { ...key, agent: "a", user: "u" } }))
    const wakes = jobs.map((wake, at) => ({ ...wake, id: String(at), kind: "wake", dueMs: 1 }))
    expect(new Set([...jobs, ...wakes].map(lineOf)).size).toBe(2 * sessions.length)
    expect(queueOf("a b/\0")).toMatch(/^promptstrata\/[0-9a-f]{40}$/)
  })
})

test("the jobs enqueued are known by their queue", () => {
  const enqueued = new EnqueuedJobs()
  enqueued.add("a", "1")
  enqueued.add("b", "2")
  expect([enqueued.ids("a"), enqueued.ids("b"), enqueued.ids()]).toEqual([["1"], ["2"], ["1", "2"]])
})

test("a job that has begun is exported with one attempt more", () => {
  const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
  const data = storeJob({ id: "j", kind: "note", key, turnId: "t", atMs: 0, payload: {} })
  const attempts = (state: string) => jobRowOf({ is_dead: false, state, retry_count: 2, data }).attempts
  expect([attempts("created"), attempts("active")]).toEqual([2, 3])
})
