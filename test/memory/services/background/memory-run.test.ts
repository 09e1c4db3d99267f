import { describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../../src/core/conversation.ts"
import type { JobContext } from "../../../../src/memory/services/background/background-job.ts"
import type { MemoryJobOptions } from "../../../../src/memory/services/background/memory-job-options.ts"
import { MemoryRun } from "../../../../src/memory/services/background/memory-run.ts"
import { runMemoryJob } from "../../../../src/memory/services/background/run-memory-job.ts"
import type { NewMemory } from "../../../../src/memory/services/memory/memory-service.ts"
import type { Receipt } from "../../../../src/memory/services/store/receipt.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const words: HistoryMessage = { role: "user", text: "I moved", speaker: { id: "ann", name: "Ann" }, atMs: 1, turnId: "t" }
const job = { id: "j", kind: "memory", key, turnId: "t", atMs: 2, payload: {} }

/** A job's context over one turn's words, which a test may forget, and the receipts that the job writes. */
function scene(options: Partial<MemoryJobOptions> = {}) {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  const closing = new AbortController()
  const receipts: Receipt[] = []
  const remembered: NewMemory[] = []
  const messages = [words]
  const context: JobContext = {
    attempt: 1,
    isLast: false,
    signal: closing.signal,
    ports: { clock, timers } as unknown as JobContext["ports"],
    ask: async () => ({ text: "9", model: "m", assembly: { cut: {} } as never }),
    post: async () => true,
    messages: async () => messages,
    receipt: async (receipt) => void receipts.push(receipt as Receipt),
  }
  const settings = { importanceThreshold: 5, batchTurns: 1, reflectOn: 9, stepMs: 1_000, keys: false, profileCharacters: 99 }
  const memory = {
    remember: async (made: NewMemory) => {
      remembered.push(made)
      return { status: "stored", id: made.id } as const
    },
    recent: async () => [],
    recall: async () => [],
    get: async () => undefined,
  }
  const given: MemoryJobOptions = {
    settings,
    agentName: "Fay",
    memory,
    receipts: { ofTurn: async () => receipts, since: async () => [] } as unknown as MemoryJobOptions["receipts"],
    ports: { clock, timers },
    ...options,
  }
  const run = new MemoryRun(given, { job, context, turns: [{ turnId: "t", turn: 0, untrusted: false, messages }] }, [])
  return { timers, closing, context, messages, receipts, remembered, given, run }
}

describe("the memory job", () => {
  test("that is stopped is not done: it fails with the reason, before anything was written", async () => {
    const { given, context, closing, receipts } = scene()
    const reason = new Error("the runner closes")
    const ask: JobContext["ask"] = async () => {
      closing.abort(reason)
      return { text: "9", model: "m", assembly: { cut: {} } as never }
    }
    await expect(runMemoryJob(given, job, { ...context, ask })).rejects.toBe(reason)
    expect(receipts).toEqual([])
  })

  test("links an insight without sources to all memories that it was drawn from, and stores none whose sources are no such memories", async () => {
    const { given, context, remembered } = scene()
    const recent = ["m1", "m2"].map(
      (id) => ({ ...key, id, kind: "dialogue", text: id, speaker: words.speaker, atMs: 1, turnId: "t", turn: 0 }) as const,
    )
    const insights = [{ text: "Ann moves." }, { text: "Ann sings.", sources: ["m9"] }, { text: "Ann rests.", sources: ["m2"] }]
    const reflection = { due: async () => true, reflect: async () => insights }
    const memory = { ...(given.memory as NonNullable<typeof given.memory>), recent: async () => recent }
    await runMemoryJob({ ...given, memory, reflection }, job, context)
    const kept = remembered.filter(({ kind }) => kind === "insight").map(({ text, sources }) => [text, sources])
    expect(kept).toEqual([
      ["Ann moves.", ["m1", "m2"]],
      ["Ann rests.", ["m2"]],
    ])
  })

  test("whose words were forgotten is done, with nothing written", async () => {
    const { given, context, messages, receipts } = scene()
    const ask: JobContext["ask"] = async () => {
      messages.pop()
      return { text: "9", model: "m", assembly: { cut: {} } as never }
    }
    await runMemoryJob(given, job, { ...context, ask })
    expect(receipts).toEqual([])
  })

  test("takes the turn of a job that does not say its number for the first", async () => {
    const { given, context, remembered } = scene()
    await runMemoryJob(given, job, context)
    expect(remembered.map(({ text, turn }) => [text, turn])).toEqual([["I moved", 0]])
  })

  test("T36: reflects on nothing if no memory is there, and says so", async () => {
    const reflection = { due: async () => true, reflect: () => Promise.reject(new Error("nothing to reflect on")) }
    const { given, context, receipts } = scene({ reflection })
    await runMemoryJob(given, job, context)
    expect(receipts.at(-1)).toMatchObject({ kind: "reflect", outcome: "skipped", message: "no memories" })
  })

  test("lets a step that took too long write nothing afterwards", async () => {
    const { timers, run, receipts } = scene()
    const late = Promise.withResolvers<void>()
    let wrote: unknown = "something"
    const step = run.step("store", async ({ signal }) => {
      await late.promise
      wrote = await run.expectWanted(signal).then(
        () => "something",
        () => "nothing",
      )
      return { outcome: "ok" }
    })
    await timers.whenPending(1)
    timers.advance(1_000)
    await step
    expect(receipts).toMatchObject([{ kind: "store", outcome: "timeout", message: "took longer than 1000 ms" }])
    late.resolve()
    await new Promise(setImmediate)
    expect(wrote).toBe("nothing")
  })
})

describe("the receipt of a step", () => {
  const answer = (cut: object, usage?: object) =>
    ({ text: "9", model: "m", assembly: { cut }, ...(usage && { usage }) }) as unknown as Awaited<ReturnType<JobContext["ask"]>>
  const room = "its prompt had room for"
  const cuts = { a: { entries: 1, of: 2 }, b: { entries: 3 }, c: { characters: 4 }, d: { dropped: true } }
  const told = [
    `${room} 1 of 2 entries of a`,
    `${room} 3 entries of b and no more`,
    `${room} 4 characters of c`,
    `${room} none of d`,
  ]
  const usage = { inputTokens: 1, outputTokens: 2 }

  test.each([
    ["that says nothing and cuts nothing", { outcome: "ok" }, answer({}), { model: "m" }],
    ["that says something", { outcome: "ok", message: "done" }, answer({}), { model: "m", message: "done" }],
    ["whose prompt was cut", { outcome: "ok" }, answer(cuts), { model: "m", message: told.join(", ") }],
    [
      "that says something and was cut",
      { outcome: "parse-error", message: "no number", value: { at: 1 } },
      answer({ a: cuts.a }, usage),
      { model: "m", usage, value: { at: 1 }, message: `no number, ${told[0]}` },
    ],
  ] as const)("%s holds all of it", async (_, result, answered, expected) => {
    const { run, receipts, timers } = scene()
    Object.assign(run.context, { ask: async () => answered })
    await run.step("importance", async ({ ask, signal }) => {
      await ask("importance", [], { signal })
      return result
    })
    const { outcome } = result
    const whole = { key, turnId: "t", kind: "importance", attempt: 1, startedMs: 0, durationMs: 0, outcome, ...expected }
    expect(receipts).toStrictEqual([whole])
    expect(timers.pending).toBe(0)
  })

  test("that asked in vain names no model; one that did not ask, none either", async () => {
    const failing = scene()
    Object.assign(failing.run.context, { ask: () => Promise.reject(new Error("away")) })
    await failing.run.step("importance", async ({ ask, signal }) => {
      await ask("importance", [], { signal })
      return { outcome: "ok" }
    })
    const quiet = scene()
    await quiet.run.step("store", async () => ({ outcome: "skipped" }))
    expect([...failing.receipts, ...quiet.receipts]).toMatchObject([
      { outcome: "failed", message: "away", model: "unanswered" },
      { outcome: "skipped" },
    ])
    expect(quiet.receipts[0]).not.toHaveProperty("model")
  })

  test("decides whether the step is tried again, and counts the attempts", async () => {
    const table: [string, string][] = []
    for (const outcome of ["ok", "skipped", "parse-error", "timeout", "failed"] as const)
      for (const attempt of [1, 2, 3]) {
        const { given, context, receipts } = scene()
        const before = { key, turnId: "t", kind: "k", outcome, attempt, startedMs: 0, durationMs: 0 }
        const run = new MemoryRun(given, { job, context, turns: [] }, [before])
        const isSettled = run.isSettled("k")
        await run.step("k", async () => ({ outcome: "ok" }))
        expect(receipts.map(({ attempt }) => attempt)).toEqual(isSettled ? [] : [attempt + 1])
        table.push([`${outcome} ${attempt}`, isSettled ? "settled" : "again"])
      }
    expect(table.filter(([, fate]) => fate === "again").map(([which]) => which)).toEqual([
      "parse-error 1",
      ...["timeout 1", "timeout 2", "timeout 3", "failed 1", "failed 2", "failed 3"],
    ])
    expect(scene().run.isSettled("never tried")).toBe(true)
  })
})
