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
    found: { "a memory": "a memory of a turn that was forgotten to be refused with code `aborted`" },
  },
  {
    name: "posts a note again",
    breaks: (store) => broken(store, { post: async (...given) => (await store.post(...given)) || true }),
    found: { "a note is posted once": "posting a known id" },
  },
  {
    name: "refuses with other codes",
    breaks: (store) => {
      const commit: Store["commit"] = (...given) =>
        store.commit(...given).catch((cause: unknown) => Promise.reject(new Error("no", { cause })))
      return broken(store, { commit })
    },
    found: { conflict: "to be refused with code `session-conflict`; found Error: no" },
  },
]

/** What the suite finds wrong with a store, by the rule's name. */
async function faultsOf(breaks: (store: Store) => Store): Promise<Readonly<Record<string, string>>> {
  const open = async () => ({ service: breaks(createInMemoryStore({ jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 } })) })
  const faults: Record<string, string> = {}
  for (const { name, run } of storeConformance(open)) {
    try {
      await run()
    } catch (error) {
      faults[name] = String(error)
    }
  }
  return faults
}

test.each(breakages)("a store that $name is found", async ({ breaks, found }) => {
  const faults = await faultsOf(breaks)
  for (const [rule, words] of Object.entries(found)) {
    const name = Object.keys(faults).find((name) => name.includes(rule))
    expect(name === undefined ? faults : faults[name]).toContain(words)
  }
  expect(Object.keys(faults).length).toBeLessThan(20)
})
