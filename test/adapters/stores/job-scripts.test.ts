import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defaultJobSettings, type JobHandlers } from "../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import type { StoreRow } from "../../../src/memory/services/store/store-row.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { collect } from "../../support/collect.ts"
import { type Dice, diceOf } from "../../support/dice.ts"
import { everyone, JobModel, type ModelJob } from "../../support/job-model.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { settle } from "./sqlite/support/processes.ts"

// As many run at once as there are conversations. No attempt reaches its limit in the moment in which a runner that closes stops it.
const settings = { ...defaultJobSettings, maxAttempts: 3, timeoutMs: 7_000.125, waitMs: 1_000, maxWaitMs: 1_500, concurrency: 4 }
const agents = ["fay", "gil"] as const
const kinds = ["work", "play"] as const
const lanes = agents.flatMap((agent) => ["talk", "club"].map((conversation) => ({ agent, conversation })))

/** A store whose jobs wait for the script: it says when one ends, and how. */
function scripted(store: Store, timers: ReturnType<typeof manualTimers>) {
  const events: string[] = []
  const ends = new Map<string, { readonly succeed: () => void; readonly fail: (error: Error) => void }>()
  const work: JobHandlers[string] = ({ id }, { attempt, isLast, signal }) => {
    events.push(`${id} begins: ${attempt}${isLast ? ", the last" : ""}`)
    signal.addEventListener("abort", () => events.push(`${id} stops: ${(signal.reason as { code: string }).code}`))
    return new Promise<void>((succeed, fail) => ends.set(id, { succeed, fail }))
  }
  const rowsOf = async (agent: string) =>
    (await collect(store.export({ agent }))).filter((line) => line.startsWith('{"table":"job"'))
  return {
    store,
    timers,
    work,
    end: (id: string) => ends.get(id),
    /** What happened since the last call, in any order. */
    events: () => events.splice(0).sort(),
    rows: async () => (await Promise.all(agents.map(rowsOf))).flat().map(readRow),
    async commit({ id, agent, lane, kind }: ModelJob) {
      const conversation = lane.split("/")[1] as string
      const key = { agent, conversation, audience: "private", user: "ann" } as const
      const version = (await store.load(key, { last: 0 }))?.version ?? 0
      const job = { id, kind, key, turnId: id, atMs: 0, payload: {} }
      await store.commit(key, { expectVersion: version, append: [], state: {}, jobs: [job] })
    },
  }
}

/** What an export says of a job. */
function readRow(line: string) {
  const { job, attempts, error } = JSON.parse(line) as Extract<StoreRow, { table: "job" }>
  return [job.id, attempts, error?.replace(/^expected .* within ([\d.]+) ms.*$/, "not within $1 ms")] as const
}

type Scripted = ReturnType<typeof scripted>

/** One step of a script: what the model says of it, and the same done with a store. */
interface Step {
  readonly name: string
  readonly expected: readonly string[]
  readonly act: (store: Scripted) => unknown
}

function nextStep(dice: Dice, model: JobModel): Step {
  const agent = dice.pick(...agents, ...agents, everyone)
  const lane = dice.pick(...lanes)
  const name = `${lane.agent}/${lane.conversation}`
  const running = dice.shuffle(model.running)[0]
  const roll = dice.below(20)
  if (roll < 6) {
    const job = { id: `${name} ${dice.below(12)}`, agent: lane.agent, lane: name, kind: dice.pick(...kinds, "work") }
    return { name: `enqueue ${job.id}`, expected: model.enqueue(job), act: (store) => store.commit(job) }
  }
  if (roll < 9) {
    const some = dice.pick([...kinds], ["work"], ["play"], [])
    const expected = model.start(agent, some)
    const act = ({ store, work }: Scripted) =>
      store.jobs.start(Object.fromEntries(some.map((kind) => [kind, work])), ofRunner(agent))
    return { name: `start ${agent} for ${some}`, expected, act }
  }
  if (roll < 12 && running !== undefined)
    return { name: `done ${running}`, expected: model.succeed(running), act: ({ end }) => end(running)?.succeed() }
  if (roll < 15 && running !== undefined)
    return {
      name: `failed ${running}`,
      expected: model.fail(running, `no ${running}`),
      act: ({ end }) => end(running)?.fail(new Error(`no ${running}`)),
    }
  if (roll < 19) {
    const ms = Math.min(dice.pick(1, 500, 3_500, model.nextMs - 0.25, Infinity), model.nextMs, 20_000)
    return { name: `${ms} ms pass`, expected: model.pass(ms), act: ({ timers }) => timers.advance(ms) }
  }
  const act = ({ store }: Scripted) => store.forget({ agent: lane.agent, conversation: lane.conversation })
  return { name: `forget ${name}`, expected: model.forget(name), act }
}

/** The options that name a runner. */
const ofRunner = (agent: string) => (agent === everyone ? {} : { agent })

/** Lets time pass, from one event of the model to the next. */
async function pass(stores: readonly Scripted[], model: JobModel, ms: number): Promise<void> {
  for (let left = ms; left > 0; ) {
    const passed = Math.min(left, model.nextMs)
    const expected = model.pass(passed).toSorted()
    left -= passed
    for (const { timers } of stores) timers.advance(passed)
    await settle()
    for (const { events } of stores) expect(events(), `${passed} ms pass`).toEqual(expected)
  }
}

/** Closes an agent's runner, which waits so long for what runs, and not longer. */
async function close(stores: readonly Scripted[], model: JobModel, agent: string): Promise<void> {
  const drainMs = 400
  const begun = model.beginClose(agent).toSorted()
  const closed = new Set<Scripted>()
  for (const each of stores) void each.store.jobs.close({ drainMs, agent }).then(() => closed.add(each))
  await settle()
  for (const { events } of stores) expect(events(), `${agent} begins to close`).toEqual(begun)
  expect(closed.size, "what closes at once").toBe(model.isClosing ? 0 : stores.length)
  await pass(stores, model, drainMs - 0.25)
  expect(closed.size, "what is closed just before the end of the wait").toBe(model.isClosing ? 0 : stores.length)
  const expected = [...model.pass(0.25), ...model.endClose()].sort()
  for (const { timers } of stores) timers.advance(0.25)
  await settle()
  expect(closed.size, "what is closed in the end").toBe(stores.length)
  for (const { events } of stores) expect(events(), `close ${agent}`).toEqual(expected)
}

test("T33 jobs in memory and in a file begin, stop, wait, fail and are forgotten as a model of them says", async () => {
  for (let run = 0; run < runs(60) / 5; run++) {
    const dice = diceOf(mulberry32(seedOf(500 + run)))
    const model = new JobModel(settings)
    const ports = Array.from({ length: 2 }, () => {
      const clock = manualClock(0)
      return { clock, timers: manualTimers(clock), random: () => 1 }
    })
    const [inMemory, ofFile] = ports as [(typeof ports)[0], (typeof ports)[0]]
    const file = await openSqliteStore(join(tempFolder(), "store.sqlite"), { jobs: settings, ...ofFile })
    onTestFinished(async () => {
      const closed = file.close()
      await settle()
      ofFile.timers.advance(5_000)
      await closed
    })
    const memory = createInMemoryStore({ jobs: settings, ports: inMemory })
    const stores = [scripted(memory, inMemory.timers), scripted(file, ofFile.timers)]
    for (let step = 0; step < 60; step++) {
      if (dice.chance(0.06)) {
        await close(stores, model, dice.pick(...agents))
        continue
      }
      const { name, expected, act } = nextStep(dice, model)
      for (const store of stores) {
        const at = `${name} at step ${step} of run ${run}, ${store === stores[0] ? "in memory" : "in a file"}`
        await act(store)
        await settle()
        expect(store.events(), at).toEqual(expected.toSorted())
        if (step % 6 === 5) expect((await store.rows()).toSorted(), at).toEqual(model.rows.toSorted())
      }
    }
    for (const agent of agents) await close(stores, model, agent)
    void memory.jobs.close({ drainMs: 0 })
    await settle()
    inMemory.timers.advance(0)
    await settle()
    expect(inMemory.timers.pending, "timers left in memory").toBe(0)
  }
})
