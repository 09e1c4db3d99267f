import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { AgentJobs } from "../../../../src/loop/agent/schedule/agent-jobs.ts"
import type { AgentContext } from "../../../../src/loop/turn/turn-context.ts"
import type { BackgroundJob, JobContext } from "../../../../src/memory/services/background/background-job.ts"
import type { Job, JobProgress } from "../../../../src/memory/services/store/job-runner.ts"
import type { Receipt } from "../../../../src/memory/services/store/receipt.ts"

const key = { agent: "a", conversation: "c", audience: "private", user: "u" } as const
const job = { id: "j", kind: "count", key, turnId: "t", atMs: 0, payload: {} }

/** The jobs of an agent with one job, what it warned of, and what was written. */
function scene(run: BackgroundJob["run"]) {
  const told: string[] = []
  const receipts: Receipt[] = []
  const notes: string[] = []
  const progress: string[] = []
  const latest = {
    jobs: [{ kind: "count", run }],
    onWarning: ({ message }: { readonly message: string }) => void told.push(message),
    store: { post: async (_: unknown, { id }: { readonly id: string }) => notes.push(id) > 0 },
    receipts: { put: async (receipt: Receipt) => void receipts.push(receipt) },
    ports: { clock: { nowMs: () => 7 } },
    inspection: {
      job: ({ kind }: Job, { state, attempt, message }: JobProgress) =>
        void progress.push(`${kind} ${attempt} ${state}${message === undefined ? "" : `: ${message}`}`),
    },
  }
  const jobs = new AgentJobs(() => latest as unknown as AgentContext, new AbortController().signal)
  const controller = new AbortController()
  const start = (isLast = false, kind = "count") =>
    jobs.run({ ...job, kind }, { attempt: 2, isLast, signal: controller.signal }).then(
      () => "done",
      (error: unknown) => error,
    )
  return { told, receipts, notes, progress, controller, start }
}

const note = { id: "n", hook: "h", value: 1 } as never
const failing = (error: Error) => scene(() => Promise.reject(error))
const error = (code: "aborted" | "background" | "closed") => new PromptStrataError(code, "enough.")

describe("a job of an agent", () => {
  test.each([
    { name: "an error", thrown: new Error("no"), first: 1, last: 1 },
    { name: "unfinished steps, which receipts tell", thrown: error("background"), first: 0, last: 1 },
  ])("that throws $name is told as often as it should be, and thrown on", async ({ thrown, first, last }) => {
    for (const [isLast, count, after] of [
      [false, first, "it is tried again"],
      [true, last, "it is a dead letter now"],
    ] as const) {
      const { told, start } = failing(thrown)
      expect(await start(isLast)).toBe(thrown)
      expect(told).toEqual(count === 0 ? [] : [`The job count failed (attempt 2, ${after}): ${thrown.message}`])
    }
  })

  test("whose turn was forgotten is done, and nobody is told", async () => {
    const { told, start } = failing(error("aborted"))
    expect(await start(true)).toBe("done")
    expect(told).toEqual([])
  })

  test("is told to an inspector when it begins and when it ends, also if it hangs", async () => {
    const [done, failed, forgotten] = [scene(async () => undefined), failing(new Error("no")), failing(error("aborted"))]
    await Promise.all([done.start(), failed.start(), forgotten.start()])
    expect([done.progress, failed.progress, forgotten.progress]).toEqual([
      ["count 2 running", "count 2 done"],
      ["count 2 running", "count 2 failed: no"],
      ["count 2 running", expect.stringMatching(/^count 2 stopped: /u)],
    ])
    for (const [reason, state] of [
      [error("closed"), "stopped"],
      [new Error("too long"), "failed"],
    ] as const) {
      const { controller, start, progress } = scene(() => new Promise(() => undefined))
      void start()
      await Promise.resolve()
      controller.abort(reason)
      expect(progress).toEqual(["count 2 running", `count 2 ${state}: ${reason.message}`])
    }
  })

  test("of a kind that the agent has no more fails, and says so", async () => {
    const { told, start } = scene(async () => undefined)
    expect(await start(true, "gone")).toMatchObject({ message: "the profile has no such job any more" })
    expect(told).toEqual(["The job gone failed (attempt 2, it is a dead letter now): the profile has no such job any more"])
  })

  test.each([
    { name: "because it took too long is told", reason: new Error("took too long"), count: 1 },
    { name: "because the runner closes is not", reason: error("closed"), count: 0 },
    { name: "because its turn was forgotten is not", reason: error("aborted"), count: 0 },
  ])("that hangs and is stopped $name, once", async ({ reason, count }) => {
    const { told, controller, start } = scene((_, { signal }) => {
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    })
    const ended = start()
    await new Promise(setImmediate)
    controller.abort(reason)
    expect(told).toHaveLength(count)
    expect(await ended).toBe(reason)
    expect(told).toHaveLength(count)
  })

  test("that is done is not told when its signal aborts later", async () => {
    const { told, controller, start } = scene(async () => undefined)
    expect(await start()).toBe("done")
    controller.abort(new Error("later"))
    expect(told).toEqual([])
  })

  test("leaves a note, but none once it was stopped", async () => {
    let context: JobContext | undefined
    const { notes, controller, start } = scene(async (_, given) => {
      context = given
    })
    await start()
    expect(await context?.post(note)).toBe(true)
    controller.abort(new Error("stopped"))
    await expect(context?.post(note)).rejects.toThrow("stopped")
    expect(notes).toEqual(["n"])
  })

  test("writes receipts of its turn and attempt, and tells of those that say that something went wrong", async () => {
    const { told, receipts, start } = scene(async (_, context) => {
      await context.receipt({ kind: "one", outcome: "ok" })
      await context.receipt({ kind: "two", outcome: "timeout", message: "late" })
      await context.receipt({ kind: "three", outcome: "failed", durationMs: 5 })
      await context.receipt({ kind: "four", outcome: "parse-error" })
      await context.receipt({ kind: "five", outcome: "skipped", message: "not due" })
    })
    expect(await start()).toBe("done")
    expect(receipts[0]).toEqual({ key, turnId: "t", kind: "one", outcome: "ok", attempt: 2, startedMs: 7, durationMs: 0 })
    expect(receipts[2]).toMatchObject({ kind: "three", durationMs: 5 })
    expect(told).toEqual([
      "two after the turn: timeout, late",
      "three after the turn: failed, no reason given",
      "four after the turn: parse-error, no reason given",
    ])
  })
})
