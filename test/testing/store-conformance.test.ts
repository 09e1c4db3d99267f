import { expect, test } from "vitest"
import type { Timers } from "../../src/core/ports.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { StoredVector } from "../../src/memory/services/store/records.ts"
import { versionConflict } from "../../src/memory/services/store/rows/user-records.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { storeConformance } from "../../src/testing/conformance/store/store-conformance.ts"

/** A store of which one member is another. */
function broken<T extends object>(store: T, changes: Partial<T>): T {
  return new Proxy(store, {
    get: (target, name) => {
      const own = Reflect.get(changes, name) ?? Reflect.get(target, name)
      return typeof own === "function" ? own.bind(target) : own
    },
  })
}

const breakages: readonly {
  readonly name: string
  readonly breaks: (store: Store) => Store
  readonly found: Readonly<Record<string, string>>
}[] = [
  {
    name: "gives vectors in an order of its own",
    breaks: (store) => {
      const vectors: Store["memories"]["vectors"] = async (ids, ...rest) =>
        (await store.memories.vectors(ids, ...rest)).toReversed()
      return broken(store, { memories: broken(store.memories, { vectors }) })
    },
    found: { "vectors are stored by model to the last bit": "the vectors in the order asked for" },
  },
  {
    name: "keeps no sign of a zero",
    breaks: (store) => {
      const vectors: Store["memories"]["vectors"] = async (...given) =>
        (await store.memories.vectors(...given)).map((vector) => ({ ...vector, values: vector.values.map((value) => value + 0) }))
      return broken(store, { memories: broken(store.memories, { vectors }) })
    },
    found: { "vectors are stored by model to the last bit": "every bit" },
  },
  {
    name: "puts a memory in the place of others wherever they were said",
    breaks: (store) => {
      const gone = new Map<string, string>()
      const put: Store["memories"]["put"] = async (memory, options) => {
        for (const id of options.supersedes ?? []) gone.set(id, memory.id)
        return store.memories.put(memory, options)
      }
      const get: Store["memories"]["get"] = async (...given) => {
        const memory = await store.memories.get(...given)
        const supersededBy = gone.get(memory?.id ?? "")
        return memory && supersededBy !== undefined ? { ...memory, supersededBy } : memory
      }
      return broken(store, { memories: broken(store.memories, { get, put }) })
    },
    found: { "a superseded memory stays": "what was said in a group" },
  },
  {
    name: "keeps every vector for ever",
    breaks: (store) => {
      const kept = new Map<string, StoredVector>()
      const putVectors: Store["memories"]["putVectors"] = async (vectors, key) => {
        for (const vector of vectors) kept.set(`${vector.memoryId} ${vector.model}`, vector)
        return store.memories.putVectors(vectors, key)
      }
      const vectors: Store["memories"]["vectors"] = async (ids, model) => ids.flatMap((id) => kept.get(`${id} ${model}`) ?? [])
      return broken(store, { memories: broken(store.memories, { putVectors, vectors }) })
    },
    found: { "what was drawn from a turn is taken back": "vectors" },
  },
  {
    name: "takes a state that is no JSON",
    breaks: (store) => {
      const commit: Store["commit"] = (key, given) =>
        store.commit(key, { ...given, state: JSON.parse(JSON.stringify(given.state)) })
      return broken(store, { commit })
    },
    found: { "behind an unknown turn": "a state that is no JSON to be refused with code `usage`" },
  },
  {
    name: "takes memories of turns that were forgotten",
    breaks: (store) => {
      let isForgotten = false
      const forget: Store["forget"] = async (scope) => {
        isForgotten = true
        return store.forget(scope)
      }
      const put: Store["memories"]["put"] = async (...given) =>
        isForgotten ? { stored: false, id: given[0].id } : store.memories.put(...given)
      return broken(store, { forget, memories: broken(store.memories, { put }) })
    },
    found: { "a memory of a turn": "a memory of a turn that was forgotten to be refused with code `aborted`" },
  },
  {
    name: "posts a note again",
    breaks: (store) => broken(store, { post: async (...given) => (await store.post(...given)) || true }),
    found: { "a note is posted once": "posting a known id" },
  },
  {
    name: "runs no jobs",
    breaks: (store) => broken(store, { jobs: broken(store.jobs, { start: async () => undefined }) }),
    found: {
      "a job of an unknown kind": 'what was done to be ["known"]; found []',
      "enqueued twice under one id": 'what was done to be ["once"]; found []',
    },
  },
  {
    name: "runs the jobs of no agent once one was closed",
    breaks: (store) => broken(store, { jobs: broken(store.jobs, { close: ({ drainMs }) => store.jobs.close({ drainMs }) }) }),
    found: { "several agents share a store": "the first agent's next job to be done" },
  },
  {
    name: "begins no job in time",
    breaks: (store) => broken(store, { jobs: broken(store.jobs, { start: async () => undefined }) }),
    found: { "closing aborts jobs that outlast the drain": "expected the job to begin" },
  },
  {
    name: "forgets everybody with one user",
    breaks: (store) => broken(store, { forget: ({ agent }) => store.forget({ agent }) }),
    found: { "forgetting a user deletes": 'expected I say bob-secret to be kept; found "no such line"' },
  },
  {
    name: "forgets a user of every agent",
    breaks: (store) => {
      const forget: Store["forget"] = async (scope) => {
        await store.forget({ ...scope, agent: `${scope.agent} 2` })
        return store.forget(scope)
      }
      return broken(store, { forget })
    },
    found: { "forgetting a user deletes": "another agent's user of that id to be kept" },
  },
  {
    name: "loses the state of a group with a user",
    breaks: (store) => {
      let isForgotten = false
      const forget: Store["forget"] = (scope) => {
        isForgotten = true
        return store.forget(scope)
      }
      const load: Store["load"] = async (...given) => {
        const record = await store.load(...given)
        return record && isForgotten ? { ...record, state: {} } : record
      }
      return broken(store, { forget, load })
    },
    found: { "forgetting a user deletes": "the group's state: switches and counts" },
  },
  {
    name: "exports what was forgotten",
    breaks: (store) => {
      const kept: string[] = []
      const forget: Store["forget"] = async (scope) => {
        for await (const line of store.export({ agent: scope.agent })) kept.push(line)
        return store.forget(scope)
      }
      async function* lines(...given: Parameters<Store["export"]>): AsyncGenerator<string> {
        yield* kept
        yield* store.export(...given)
      }
      return broken(store, { forget, export: lines })
    },
    found: { "forgetting a speaker deletes what was appended": 'no line that holds "ann-heard"' },
  },
  {
    name: "begins a user's versions anew",
    breaks: (store) => {
      const append: Store["users"]["append"] = async (...given) => ({ ...(await store.users.append(...given)), version: 0 })
      return broken(store, { users: broken(store.users, { append }) })
    },
    found: { "forgetting a conversation deletes": "the user's version to go on" },
  },
  {
    name: "asks a known turn for the version of now",
    breaks: (store) => {
      const append: Store["users"]["append"] = async (statements, given) => {
        const { version } = await store.users.load(given.key)
        if (given.expectVersion !== version) throw versionConflict(given.key, given.expectVersion, version)
        return store.users.append(statements, given)
      }
      return broken(store, { users: broken(store.users, { append }) })
    },
    found: { "statements are stored in order": "another turn changed it meanwhile" },
  },
  ...["", "It failed.", "the reaso"].map((error) => ({
    name: `tells ${JSON.stringify(error)} of a dead job`,
    breaks: (store: Store) => {
      const dead = async () => (await store.jobs.dead()).map((letter) => ({ ...letter, error }))
      return broken(store, { jobs: broken(store.jobs, { dead }) })
    },
    found: { "a job that fails for good": "expected the reason in the dead letter" },
  })),
  {
    name: "forgets what an insight rests on",
    breaks: (store) => {
      const forget: Store["memories"]["forget"] = async (ids, options) => {
        const report = await store.memories.forget(ids, options)
        await store.memories.forget(["memory seen"], options)
        return report
      }
      return broken(store, { memories: broken(store.memories, { forget }) })
    },
    found: { "an insight is forgotten without": "its source to be" },
  },
  {
    name: "lets a group forget a private memory",
    breaks: (store) => {
      const forget: Store["memories"]["forget"] = (ids, { key, ...options }) => {
        const own = ids.includes("memory private") ? ({ ...key, conversation: "talk", audience: "private" } as const) : key
        return store.memories.forget(ids, { ...options, key: own })
      }
      return broken(store, { memories: broken(store.memories, { forget }) })
    },
    found: { "nobody forgets memories of another user": "a private one in a group" },
  },
  {
    name: "does not tell readers of a deletion",
    breaks: (store) => {
      const changes: Store["memories"]["changes"] = async (...given) => ({
        ...(await store.memories.changes(...given)),
        reset: false,
      })
      return broken(store, { memories: broken(store.memories, { changes }) })
    },
    found: { "a reader of changes starts over": "the changes after a deletion" },
  },
  {
    name: "forgets heard words where a branch comes back",
    breaks: (store) => {
      const commit: Store["commit"] = (key, given) =>
        store.commit(key, given.append.length === 0 ? { ...given, keepHeard: false } : given)
      return broken(store, { commit })
    },
    found: { "words that were heard stay in the history": "the words behind a branch that is back" },
  },
  {
    name: "hands out its own bytes",
    breaks: (store) => {
      const own = new Map<string, Uint8Array | undefined>()
      const get: Store["blobs"]["get"] = async (id, key) => {
        if (!own.has(id)) own.set(id, await store.blobs.get(id, key))
        return own.get(id)
      }
      return broken(store, { blobs: broken(store.blobs, { get }) })
    },
    found: { "changes to bytes that were put or got": "the bytes to be" },
  },
  {
    name: "looks at a state only when it is read",
    breaks: (store) => {
      let write = async (): Promise<unknown> => undefined
      const commit: Store["commit"] = async (key, given) => {
        await write()
        const kept = { ...given, append: [...given.append] }
        write = async () => {
          write = async () => undefined
          await store.commit(key, kept)
        }
        return { version: given.expectVersion + 1 }
      }
      const load: Store["load"] = async (...given) => {
        await write()
        return store.load(...given)
      }
      return broken(store, { commit, load })
    },
    found: { "changes to committed data": "no late change in the store" },
  },
  {
    name: "counts no versions",
    breaks: (store) => {
      const commit: Store["commit"] = async (...given) => ({ ...(await store.commit(...given)), version: 1 })
      return broken(store, { commit })
    },
    found: { "each commit appends its messages": "the versions handed back" },
  },
  {
    name: "keeps the first state",
    breaks: (store) => {
      let first: object | undefined
      const commit: Store["commit"] = (key, given) => {
        first ??= given.state
        return store.commit(key, { ...given, state: first as typeof given.state })
      }
      return broken(store, { commit })
    },
    found: { "each commit appends its messages": "version and state" },
  },
  {
    name: "makes a session of nothing",
    breaks: (store) => {
      const append: Store["append"] = (key, messages) =>
        messages.length > 0
          ? store.append(key, messages)
          : store.commit(key, { expectVersion: 0, append: [], state: {}, jobs: [] }).then(() => undefined)
      return broken(store, { append })
    },
    found: { "blank messages are kept": "a session to which nothing was appended" },
  },
  {
    name: "loads the newest words first",
    breaks: (store) => {
      const load: Store["load"] = async (...given) => {
        const record = await store.load(...given)
        return record && { ...record, history: record.history.toReversed() }
      }
      return broken(store, { load })
    },
    found: { "one message that was appended before the first turn": "the history to be" },
  },
  {
    name: "refuses with other codes",
    breaks: (store) => {
      const commit: Store["commit"] = (...given) =>
        store.commit(...given).catch((cause: unknown) => Promise.reject(new Error("no", { cause })))
      return broken(store, { commit })
    },
    found: { "behind an unknown turn": "to be refused with code `usage`; found Error: no" },
  },
]

/** What a rule of the suite finds wrong with a store. */
async function faultOf(rule: string, breaks: (store: Store) => Store): Promise<string> {
  // Nothing here waits for anything but what the store does at once.
  const timers: Timers = { set: (run) => setImmediate(run), clear: () => undefined }
  const jobs = { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 }
  const open = async () => ({ service: breaks(createInMemoryStore({ jobs, ports: { timers } })) })
  const check = storeConformance(open, { limitMs: 500, timers }).find(({ name }) => name.includes(rule))
  return (
    check?.run().then(
      () => "nothing",
      (error: unknown) => String(error),
    ) ?? "no such rule"
  )
}

test.each(breakages)("a store that $name is found", async ({ breaks, found }) => {
  for (const [rule, words] of Object.entries(found)) expect(await faultOf(rule, breaks)).toContain(words)
})

test("a store whose answers have their members in another order is sound", async () => {
  const turned = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value
  const breaks = (store: Store): Store => {
    const load: Store["users"]["load"] = async (...given) => turned(await store.users.load(...given)) as never
    const commit: Store["commit"] = async (...given) => turned(await store.commit(...given)) as never
    const forget: Store["memories"]["forget"] = async (...given) => turned(await store.memories.forget(...given)) as never
    return broken(store, { commit, users: broken(store.users, { load }), memories: broken(store.memories, { forget }) })
  }
  for (const rule of ["statements are stored in order", "an insight is forgotten", "each commit appends"])
    expect(await faultOf(rule, breaks)).toBe("nothing")
})

test("each check opens a store of its own and closes it, also when it fails", async () => {
  let [opened, closed, failed] = [0, 0, 0]
  const commit = () => Promise.reject(new Error("no disk"))
  const open = async () => {
    opened++
    return { service: broken(createInMemoryStore(), { commit }), close: async () => void closed++ }
  }
  const checks = storeConformance(open, { limitMs: 0 })
  for (const { run } of checks) await run().catch(() => failed++)
  expect([opened, closed]).toEqual([checks.length, checks.length])
  expect(failed).toBeGreaterThan(0)
})
