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
    expect(faults[name ?? ""], `${rule} in ${Object.keys(faults).join("; ")}`).toContain(words)
  }
  expect(Object.keys(faults).length).toBeLessThan(20)
})
