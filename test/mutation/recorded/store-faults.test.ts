import { beforeAll, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { storeConformance } from "../../../src/testing/conformance/store/store-conformance.ts"
import { manualClock, manualTimers } from "../../../src/testing/deterministic-ports.ts"
import {
  type FaultyCalls,
  faultyService,
  type ServiceCall,
  type ServiceFault,
  wrongAnswers,
} from "../../support/faulty-service.ts"

const parts = ["jobs", "memories", "users", "receipts", "blobs"]
const nothing = "nothing is found"
const ruleNames = storeConformance(async () => ({ service: createInMemoryStore() })).map(({ name }) => name)

/** Runs one rule over a store in memory with these faults. Time moves on with each turn of the event loop. Resolves to what the rule expected. */
async function expectationOf(rule: string, given: FaultyCalls): Promise<string | undefined> {
  const timers = manualTimers(manualClock())
  const limitMs = 200
  const open = async () => {
    const store = createInMemoryStore({ jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 }, ports: { timers } })
    return { service: faultyService(store, parts, given) }
  }
  const check = storeConformance(open, { limitMs, timers }).find(({ name }) => name === rule)
  let outcome: string | undefined
  let isOver = false
  const over = check?.run().then(
    () => undefined,
    (error: Error & { code?: string; evidence?: { expected?: string } }) => {
      const { expected = error.message } = error.evidence ?? {}
      outcome = error.code === "test" ? `expected ${expected}` : `the store throws ${error.code ?? error.message}`
    },
  )
  void over?.finally(() => {
    isOver = true
  })
  for (let turns = 0; !isOver; turns++) {
    if (turns > 100 * limitMs) return "never ends"
    await new Promise((resolve) => setImmediate(resolve))
    // A store hashes beside the loop: turns alone may pass before a busy machine has made a hash.
    if (turns % 100 === 99) await crypto.subtle.digest("SHA-256", new Uint8Array())
    timers.advance(5)
  }
  return outcome
}

/** The calls of each rule over a sound store. */
async function soundCalls(): Promise<ReadonlyMap<string, readonly ServiceCall[]>> {
  const all = new Map<string, readonly ServiceCall[]>()
  // The modules that a rule needs load while it runs for the first time, which takes many turns of the loop, and time of its own.
  const warm = storeConformance(async () => ({
    service: createInMemoryStore({ jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 } }),
  }))
  for (const { run } of warm) await run()
  for (const rule of ruleNames) {
    const calls: ServiceCall[] = []
    expect(await expectationOf(rule, { calls })).toBeUndefined()
    all.set(rule, calls)
  }
  return all
}

/** An answer of each method that is not empty. */
function fullAnswers(calls: Iterable<readonly ServiceCall[]>): ReadonlyMap<string, unknown> {
  const full = new Map<string, unknown>()
  for (const { method, answer } of [...calls].flat()) {
    const isEmpty = answer === undefined || (Array.isArray(answer) && answer.length === 0)
    if (!isEmpty && !full.has(method)) full.set(method, answer)
  }
  return full
}

function faultsOf({ method, answer, isRefused }: ServiceCall, full: ReadonlyMap<string, unknown>): readonly ServiceFault[] {
  if (isRefused) return [{ path: " accepted", value: full.get(method) }]
  const changes = /commit|append|post|put|forget|keep|import|start/.test(method)
  return [...(changes ? (["omitted"] as const) : []), ...wrongAnswers(answer, full.get(method))]
}

/** The numbers of the calls that go wrong in the same way: `load omitted 1, 3`. */
function grouped(faults: readonly string[]): string {
  const numbers = new Map<string, string[]>()
  for (const fault of faults) {
    const [, method = "", number = "", way = ""] = /^(\S+) (\d+)(.*)$/.exec(fault) ?? []
    numbers.set(method + way, [...(numbers.get(method + way) ?? []), number])
  }
  return [...numbers].map(([way, calls]) => `${way} ${calls.join(", ")}`).join("; ")
}

let sound: ReadonlyMap<string, readonly ServiceCall[]>

beforeAll(async () => {
  sound = await soundCalls()
})

test.each(ruleNames)("what is found when one call of a store goes wrong: %s", async (rule) => {
  const full = fullAnswers(sound.values())
  const calls = sound.get(rule) ?? []
  expect(await expectationOf(rule, { calls: [] })).toBeUndefined()
  const found = new Map<string, string[]>()
  for (const call of calls) {
    for (const fault of faultsOf(call, full)) {
      const given = { calls: [], faults: { [call.name]: fault }, sound: calls }
      const expected = ((await expectationOf(rule, given)) ?? nothing).replaceAll(rule, "…")
      const way = fault === "omitted" ? " omitted" : fault.path
      if (expected === nothing && fault !== "omitted") continue
      found.set(expected, [...(found.get(expected) ?? []), call.name + way])
    }
  }
  const lines = [...found].map(([expected, faults]) => `${grouped(faults)}\n    ${expected}`)
  expect(lines.join("\n")).toMatchSnapshot()
})
