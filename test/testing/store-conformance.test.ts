import { expect, test } from "vitest"
import { createInMemoryStore } from "../../src/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/services/store/store.ts"
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
  const open = async () => ({ service: breaks(createInMemoryStore({ jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 } })) })
  const check = storeConformance(open).find(({ name }) => name.includes(rule))
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
