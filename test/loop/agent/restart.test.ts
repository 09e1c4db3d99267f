import { describe, expect, test } from "vitest"
import type { BackgroundJob } from "../../../src/memory/services/background/background-job.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { countingIds } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const profile = { memory: { reflectEvery: 4 }, context: { older: "keep" as const } }
const model = () =>
  backgroundModel({ profile: '{"city": "Hangzhou"}', reflection: '[{"insight": "likes tea", "memories": [1]}]' })

async function exported(store: Store): Promise<string[]> {
  const lines: string[] = []
  for await (const line of store.export({ agent: "test" })) lines.push(line)
  return lines
}

describe("a restart in mid-conversation", () => {
  test("gives the very same next prompt, from an export that was imported elsewhere", async () => {
    const store = createInMemoryStore()
    const first = testAgent(model(), profile, { store })
    const elsewhere = first.agent.session("elsewhere")
    await elsewhere.send("I like green tea from the hills", { from: { id: "test" } }).result
    for (const text of ["Hello", "I live in Hangzhou", "with two cats"]) {
      await first.session.send(text).result
      await first.agent.idle()
    }
    const imported = createInMemoryStore()
    await imported.import(await exported(store))
    const second = testAgent(model(), profile, { store: imported })
    const question = "What tea do I like?"
    const before = await first.session.preview(question)
    expect(await second.session.preview(question)).toEqual(before)
    expect(JSON.stringify(before.messages)).toContain("green tea")
    expect(await exported(imported)).toEqual(await exported(store))
  })

  test("T33 jobs that were not done when the process ended are done by the next one", async () => {
    const store = createInMemoryStore()
    const done: string[] = []
    const job = (run: BackgroundJob["run"]): BackgroundJob => ({ kind: "count", afterTurn: ({ turn }) => ({ turn }), run })
    const waiting = testAgent(
      backgroundModel(),
      {},
      { store, plugins: [{ name: "p", jobs: [{ ...job(async () => undefined), kind: "other" }] }] },
    )
    await waiting.agent.close()
    const warnings: unknown[] = []
    const stopped = testAgent(
      backgroundModel(),
      {},
      {
        store,
        plugins: [{ name: "p", jobs: [job(() => new Promise(() => undefined))] }],
        onWarning: ({ error }) => void warnings.push(error?.code),
      },
    )
    await stopped.session.send("Hello").result
    let isClosed = false
    const closing = stopped.agent.close().then(() => {
      isClosed = true
    })
    while (!isClosed) {
      stopped.timers.advance(30_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await closing
    expect(warnings, "given up, and said so").toEqual(["closed"])
    const next = testAgent(
      backgroundModel(),
      {},
      {
        store,
        ports: { ids: countingIds() },
        plugins: [{ name: "p", jobs: [job(async ({ payload }) => void done.push(`turn ${payload.turn}`))] }],
      },
    )
    await next.agent.idle()
    expect(done).toEqual(["turn 0"])
  })
})

test("an agent that leaves jobs to another process enqueues them and runs none", async () => {
  const store = createInMemoryStore()
  const done: string[] = []
  const jobs: BackgroundJob[] = [{ kind: "count", afterTurn: () => ({}), run: async ({ id }) => void done.push(id) }]
  const web = testAgent(backgroundModel(), {}, { store, runJobs: false, plugins: [{ name: "p", jobs }] })
  await web.session.send("Hello").result
  await web.agent.close()
  expect(done).toEqual([])
  const worker = testAgent(backgroundModel(), {}, { store, plugins: [{ name: "p", jobs }] })
  await worker.agent.idle()
  expect(done).toEqual(["turn-1:count"])
})

describe("a plugin's job", () => {
  test("runs after each turn, in order, sees words only, and can leave notes", async () => {
    const seen: unknown[] = []
    const heard: string[][] = []
    const jobs: BackgroundJob[] = [
      {
        kind: "watch",
        afterTurn: ({ messages, turn }) => ({ turn, texts: messages.map(({ text }) => text) }),
        async run({ id, payload }, { post, attempt }) {
          seen.push([payload.turn, payload.texts, attempt])
          await post({ id, owner: "listener", payload: {} })
        },
      },
    ]
    const hooks = [
      {
        name: "listener",
        beforeTurn: ({ notes }: { notes: readonly { id: string }[] }) => void heard.push(notes.map(({ id }) => id)),
      },
    ]
    const { agent, session } = testAgent(backgroundModel(), {}, { plugins: [{ name: "p", jobs, hooks }] })
    await session.send("one").result
    await agent.idle()
    await session.send("two").result
    await agent.idle()
    expect(seen).toEqual([
      [0, ["one", "I see."], 1],
      [1, ["two", "I see."], 1],
    ])
    expect(heard).toEqual([[], ["turn-1:watch"]])
  })

  test("one that cannot say what it wants, or fails, is told and never reaches the turn", async () => {
    const warnings: string[] = []
    const jobs: BackgroundJob[] = [
      {
        kind: "broken",
        afterTurn: () => {
          throw new Error("no payload")
        },
        run: async () => undefined,
      },
      {
        kind: "failing",
        afterTurn: () => ({}),
        run: async () => {
          throw new Error("no work")
        },
      },
    ]
    const { agent, session } = testAgent(
      backgroundModel(),
      {},
      { plugins: [{ name: "p", jobs }], onWarning: ({ message }) => void warnings.push(message) },
    )
    expect((await session.send("one").result).ok).toBe(true)
    await agent.idle()
    expect(warnings.join("\n")).toMatch(
      /broken was not enqueued: no payload[\s\S]*failing failed \(attempt 1, it is tried again\): no work/,
    )
  })

  test("two jobs of one kind are a mistake that createAgent tells", () => {
    const jobs: BackgroundJob[] = [{ kind: "same", run: async () => undefined }]
    expect(() =>
      testAgent(
        backgroundModel(),
        {},
        {
          plugins: [
            { name: "a", jobs },
            { name: "b", jobs },
          ],
        },
      ),
    ).toThrow(/jobs of different names/)
  })
})
