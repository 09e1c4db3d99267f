import { existsSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { countingIds } from "../../src/testing/index.ts"
import { turnOf } from "../adapters/stores/sqlite/support/turns.ts"
import { testAgent } from "../support/agents.ts"
import { collect } from "../support/collect.ts"
import { backgroundModel } from "../support/remembering.ts"
import { seedOf, size } from "../support/size.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { type Pause, pausingStore, underEveryOrder } from "./support/interleave.ts"

if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

const orders = {
  depth: { quick: 2, ci: 3, long: 5, soak: 7 }[size],
  more: { quick: 6, ci: 20, long: 200, soak: 2_000 }[size],
  seed: seedOf(1_201),
}
const secret = "SECRET"

/** Two users of one store: over one connection, or over two as two processes have them. */
interface Pair {
  readonly stores: readonly [Store, Store]
  close(): Promise<void>
}

const pairs: readonly { readonly name: string; readonly open: () => Promise<Pair> }[] = [
  {
    name: "in memory",
    async open() {
      const store = createInMemoryStore()
      return { stores: [store, store], close: () => store.close() }
    },
  },
  {
    name: "in a file of two processes",
    async open() {
      const file = join(tempFolder(), "store.sqlite")
      // Only the short waits for the other process end. Limits of jobs never do.
      const timers = {
        set: (callback: () => void, delayMs: number) => (delayMs < 100 ? setImmediate(callback) : undefined),
        clear: () => undefined,
      }
      const stores = [await openSqliteStore(file, { timers }), await openSqliteStore(file, { timers })] as const
      const close = async () => {
        for (const store of stores) expect(await store.check()).toMatchObject({ problems: [] })
        for (const store of stores) await store.close()
      }
      return { stores, close }
    },
  },
]

/** The turns of a history, which must be whole: a question with its answer, or an answer alone. */
function turnsOf(
  history: readonly { readonly role: string; readonly turnId: string; readonly text: string }[],
): readonly string[] {
  const turns: string[] = []
  for (const [at, { role, turnId, text }] of history.entries()) {
    if (role === "user") turns.push(text)
    else if (history[at - 1]?.turnId !== turnId) turns.push("(woken)")
  }
  expect(new Set(history.map(({ turnId }) => turnId)).size).toBe(turns.length)
  return turns
}

/** A model that waits for the schedule before each answer. */
function pausingModel(pause: Pause): LanguageModel {
  const model = backgroundModel()
  return {
    ...model,
    async *stream(request, signal) {
      await pause()
      yield* model.stream(request, signal)
    },
  }
}

/** Modules that load when they are first used are loaded before any schedule runs. */
beforeAll(async () => {
  const store = createInMemoryStore()
  const { agent, session } = testAgent(backgroundModel(), {}, { store })
  await session.send("hello").result
  await session.wake("now").result
  await agent.idle()
  await collect(store.export({ agent: "test" }))
  await store.forget({ agent: "test" })
  await agent.close()
})

describe.each(pairs)("in every order of two writers over a store $name", ({ open }) => {
  /** Runs a scenario over two agents and their stores. Each may be the same one. */
  const inEveryOrder = (scenario: (parts: { readonly pause: Pause; readonly pair: Pair }) => Promise<void>) =>
    underEveryOrder(orders, async (pause) => {
      const pair = await open()
      await scenario({ pause, pair })
      await pair.close()
    })

  const key = { agent: "test", conversation: "test", audience: "private", user: "test" } as const
  const agentOver = (store: Store, pause: Pause, prefix: string) => {
    const ids = countingIds()
    const ports = { ids: { next: (kind: string) => `${prefix}-${ids.next(kind)}` } }
    return testAgent(
      pausingModel(pause),
      { memory: { reflectEvery: 0 } },
      { store: pausingStore(store, pause), ports, runJobs: false },
    )
  }

  test("of commits of one version one succeeds, and what is read is whole", async () => {
    const count = await inEveryOrder(async ({ pause, pair }) => {
      const [one, other] = pair.stores.map((store) => pausingStore(store, pause))
      const results = await Promise.allSettled([
        one?.commit(turnOf("a", "c").key, { ...turnOf("a", "c").commit, expectVersion: 0 }),
        other?.commit(turnOf("b", "c").key, { ...turnOf("b", "c").commit, expectVersion: 0 }),
        one?.load(turnOf("a", "c").key).then((record) => expect(record?.history.length ?? 0).toBe((record?.version ?? 0) * 2)),
      ])
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"])
      const won = results[0]?.status === "fulfilled" ? "a" : "b"
      const record = await pair.stores[1].load(turnOf("a", "c").key)
      expect([record?.version, turnsOf(record?.history ?? []), record?.state]).toEqual([1, [won], { last: won }])
      const jobs = (await collect(pair.stores[0].export({ agent: turnOf("a", "c").key.agent }))).filter((line) =>
        line.includes('"table":"job"'),
      )
      expect(jobs).toHaveLength(1)
    })
    expect(count).toBeGreaterThan(orders.more)
  })

  test("two turns of one session are one after the other", async () => {
    await inEveryOrder(async ({ pause, pair }) => {
      const { agent, session } = agentOver(pair.stores[0], pause, "a")
      const turns = [session.send("one"), session.wake("two"), session.send("three")]
      for (const turn of turns) expect((await turn.result).ok).toBe(true)
      expect(turnsOf((await pair.stores[1].load(key))?.history ?? [])).toEqual(["one", "(woken)", "three"])
      await agent.close()
    })
  })

  test("two turns of two processes are both there, or the one that was not committed says so", async () => {
    await inEveryOrder(async ({ pause, pair }) => {
      const [one, other] = [agentOver(pair.stores[0], pause, "a"), agentOver(pair.stores[1], pause, "b")]
      const results = await Promise.all([one.session.send("one").result, other.session.send("two").result])
      const done = ["one", "two"].filter((_, at) => results[at]?.ok)
      for (const result of results) if (!result.ok) expect(result.error.code).toBe("session-conflict")
      expect(done.length).toBeGreaterThan(0)
      const record = await pair.stores[0].load(key)
      const answered = (record?.history ?? []).filter(({ unanswered }) => unanswered !== true)
      expect([record?.version, turnsOf(answered).toSorted()]).toEqual([done.length, done])
      // The words of the turn that lost stay too, once (T20).
      expect(turnsOf(record?.history ?? []).toSorted()).toEqual(["one", "two"])
      await Promise.all([one.agent.close(), other.agent.close()])
    })
  })

  test("nothing that was said before forgetting is left, whatever a turn does meanwhile", async () => {
    await inEveryOrder(async ({ pause, pair }) => {
      const before = testAgent(backgroundModel(), {}, { store: pair.stores[0], runJobs: false, ports: { ids: prefixed("x") } })
      await before.session.send(`my ${secret}`).result
      await before.agent.close()
      const { agent, session } = agentOver(pair.stores[0], pause, "a")
      const [result] = await Promise.all([
        session.send("hello").result,
        pausingStore(pair.stores[1], pause).forget({ agent: "test", conversation: "test" }),
      ])
      await agent.close()
      const record = await pair.stores[0].load(key)
      if (!result.ok) expect(result.error.code).toBe("session-conflict")
      const said = turnsOf(record?.history ?? [])
      expect(said).toEqual(said.length === 0 ? [] : ["hello"])
      expect((await collect(pair.stores[1].export({ agent: "test" }))).join("\n")).not.toContain(secret)
    })
  })

  test("nothing of a job that ran while its user was forgotten is left", async () => {
    const memoriesSeen = new Set<number>()
    let round = 0
    await inEveryOrder(async ({ pause, pair }) => {
      const store = pausingStore(pair.stores[0], pause)
      const { agent, session } = testAgent(pausingModel(pause), { memory: { reflectEvery: 0 } }, { store })
      await session.send(`my ${secret} is tea`).result
      const { key: of } = session
      const scope = { agent: of.agent, conversation: of.conversation }
      // The job takes many steps: forgetting begins at another one of them each time.
      const steps = (round++ * 7) % 40
      const forget = async () => {
        for (let step = 0; step < steps; step++) await pause()
        return pausingStore(pair.stores[1], pause).forget(scope)
      }
      const [, forgotten] = await Promise.all([agent.idle(), forget()])
      memoriesSeen.add(forgotten.memory ?? 0)
      await agent.close()
      expect((await collect(pair.stores[1].export({ agent: of.agent }))).join("\n")).not.toContain(secret)
    })
    // The job had remembered before in some orders, and not yet in others.
    expect([Math.min(...memoriesSeen), Math.max(...memoriesSeen) > 0]).toEqual([0, true])
  })
})

function prefixed(prefix: string) {
  const ids = countingIds()
  return { next: (kind: string) => `${prefix}-${ids.next(kind)}` }
}
