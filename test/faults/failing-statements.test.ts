import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import type { SqliteStore } from "../../src/adapters/stores/database-store.ts"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { StoredMemory } from "../../src/memory/services/store/records.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { fillBodies, keyOf } from "../adapters/stores/filled-store.ts"
import { turnOf } from "../adapters/stores/sqlite/support/turns.ts"
import { collect } from "../support/collect.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { type FailsWhen, failingStatements } from "./support/failing-statements.ts"

if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

const key = keyOf("one")
const receipt = { key, kind: "profile", turnId: "t2", attempt: 1, durationMs: 1, startedMs: 0, outcome: "ok" } as const
const statement = { name: "drink", value: "milk", turnId: "t2", conversation: "one", audience: "private", atMs: 2, confidence: 1 }
const memory = { ...key, id: "new", kind: "dialogue", text: "milk", turnId: "t2", turn: 2, atMs: 2 } as const
const said = { role: "user", speaker: { id: "user-one", name: "user-one" }, turnId: "t3", text: "more", atMs: 3 } as const
const { commit } = turnOf("t3", "one")

/** The next turn of a conversation, which takes its note. */
async function turnOfNow(store: Store, conversation: string, after?: string) {
  const at = keyOf(conversation)
  const { version = 0, notes = [] } = (await store.load(at)) ?? {}
  const jobs = commit.jobs.map((job) => ({ ...job, id: `job of ${conversation}`, key: at }))
  const taken = notes.map(({ id }) => id)
  return { at, turn: { ...commit, jobs, taken, expectVersion: version, ...(after === undefined ? {} : { after }) } }
}

async function addTurn(store: Store, conversation: string, after?: string): Promise<void> {
  const { at, turn } = await turnOfNow(store, conversation, after)
  await store.commit(at, turn)
}

/** Does the jobs of a conversation's agent, until none is due. */
async function doJobs({ jobs }: Store): Promise<void> {
  await jobs.start({ memory: async () => undefined }, { agent: key.agent })
  await jobs.idle()
  await jobs.close({ drainMs: 0, agent: key.agent })
}

const works: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "a commit": (store) => addTurn(store, "one"),
  "the first commit of a conversation": (store) => addTurn(store, "new"),
  "a commit behind an earlier turn": (store) => addTurn(store, "one", "t1"),
  "a commit of a long state": (store) => store.commit(key, { ...commit, state: { large: "y".repeat(20_000) }, expectVersion: 2 }),
  "words that were heard": (store) => store.append(key, [said]),
  "a note": (store) => store.post(key, { id: "n2", owner: "hook", payload: {} } as never),
  "a memory": (store) =>
    store.memories.put({ ...memory, speaker: said.speaker } as StoredMemory, { hash: "h", supersedes: ["memory-one"], key }),
  "a memory's use": (store) => store.memories.markUsed(["memory-one"], { atMs: 9e9, key }),
  "a vector": (store) => store.memories.putVectors([{ memoryId: "memory-one", model: "n", values: new Float32Array([2]) }], key),
  "a fact": (store) => store.users.append([statement as never], { turnId: "t2", expectVersion: 1, key }),
  "a receipt": (store) => store.receipts.put(receipt, { ofTurn: true }),
  bytes: (store) => store.blobs.put(Uint8Array.of(1, 2), key),
  "forgetting a memory": (store) => store.memories.forget(["memory-one"], { atMs: 9, key }),
  "forgetting a user": (store) => store.forget({ agent: key.agent, user: key.user }),
  "forgetting a conversation": (store) => store.forget({ agent: key.agent, conversation: "one" }),
  "an import": async (store) => {
    const lines = await collect(store.export({ agent: key.agent, conversation: "two" }))
    await store.import(lines.map((line) => line.replaceAll("two", "six")))
  },
}

/** A file with two filled conversations, and the stores that are opened on copies of it. */
async function filled() {
  const folder = tempFolder()
  const file = join(folder, "filled.sqlite")
  const warnings: string[] = []
  const made = await openSqliteStore(file)
  await fillBodies(made, [key, keyOf("two")])
  await made.close()
  let copies = 0
  const open = async (): Promise<SqliteStore> => {
    const copy = join(folder, `${copies++}.sqlite`)
    copyFileSync(file, copy)
    return openSqliteStore(copy, { onWarning: (message) => void warnings.push(message) })
  }
  return { open, warnings }
}

/** All rows of a store. */
const rowsOf = (store: Store) => collect(store.export({ agent: key.agent }))

const jobsOf = (rows: readonly string[]) => rows.filter((row) => row.startsWith('{"table":"job"'))

/** The rows of a sound store. */
async function soundRows(store: Store, at: string): Promise<readonly string[]> {
  expect(await store.check(), at).toMatchObject({ ok: true, problems: [] })
  return rowsOf(store)
}

describe("when one statement fails, the store is as before or as after, and the error is told", () => {
  const cases = Object.keys(works).flatMap((name) => (["before", "behind"] as const).map((when) => [name, when] as const))
  test.each(cases)("%s, %s a statement", async (name, when) => {
    const work = works[name] as (store: Store) => Promise<unknown>
    const { open } = await filled()
    const statements = failingStatements()
    let store = await open()
    const before = await rowsOf(store)
    await work(store)
    const after = await rowsOf(store)
    expect(after).not.toEqual(before)
    await store.close()
    store = await open()
    const told: string[] = []
    for (let number = 1; ; number++) {
      statements.arm(number, when)
      const error: unknown = await work(store).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      const failed = statements.disarm()
      const at = `${name}, ${when} its statement ${number}: ${failed}`
      const rows = await soundRows(store, at)
      if (error === undefined) expect(rows, at).toEqual(after)
      else expect([before, after], at).toContainEqual(rows)
      if (failed === undefined) break
      told.push(error === undefined ? "" : codeOf(error))
      // The same store goes on, unless the work is done.
      if (rows.length === before.length && rows.every((row, line) => row === before[line])) continue
      await store.close()
      store = await open()
    }
    await store.close()
    expect(told.length, "statements that failed").toBeGreaterThan(2)
    expect(new Set(told), "the codes of the errors").toEqual(new Set(["store"]))
  })
})

const codeOf = (error: unknown): string => (PromptStrataError.isInstance(error) ? error.code : String(error))

test.each([
  ["one statement fails", false],
  ["one statement and all behind it fail", true],
])("when %s of turns that are committed together, each of them is done or told, and is whole", async (_, lasts) => {
  const { open } = await filled()
  const statements = failingStatements()
  const names = ["one", "two", "new"]
  const rowsOfEach = (store: Store) =>
    Promise.all(names.map((conversation) => collect(store.export({ agent: key.agent, conversation }))))
  const untouched = await open()
  const before = await rowsOfEach(untouched)
  for (const name of names) await addTurn(untouched, name)
  const after = await rowsOfEach(untouched)
  await untouched.close()
  const told = new Set<string>()
  for (const when of ["before", "behind"] as const satisfies readonly FailsWhen[])
    for (let number = 1, failed: string | undefined = ""; failed !== undefined; number++) {
      const store = await open()
      const ready = await Promise.all(names.map((name) => turnOfNow(store, name)))
      statements.arm(number, when, lasts)
      const outcomes = await Promise.allSettled(ready.map(({ at, turn }) => store.commit(at, turn)))
      failed = statements.disarm()
      const at = `${when} statement ${number}: ${failed}`
      for (const outcome of outcomes) if (outcome.status === "rejected") told.add(codeOf(outcome.reason))
      expect(await store.check(), at).toMatchObject({ ok: true, problems: [] })
      for (const [place, rows] of (await rowsOfEach(store)).entries()) {
        if (outcomes[place]?.status === "fulfilled") expect(rows, at).toEqual(after[place])
        else expect([before[place], after[place]], at).toContainEqual(rows)
      }
      await store.close()
    }
  // Behind a commit that was done but failed, the same turn conflicts with itself.
  expect(told, "the codes of the errors").toEqual(new Set(lasts ? ["store"] : ["store", "session-conflict"]))
})

test("when one statement of a runner fails, it is told or done again, and each job is done in the end", async () => {
  const { open, warnings } = await filled()
  const statements = failingStatements()
  let warned = 0
  for (const when of ["before", "behind"] as const satisfies readonly FailsWhen[])
    for (let number = 1, failed: string | undefined = ""; failed !== undefined; number++) {
      const store = await open()
      warnings.length = 0
      statements.arm(number, when)
      const error: unknown = await doJobs(store).catch((thrown: unknown) => thrown)
      failed = statements.disarm()
      const at = `${when} statement ${number}: ${failed}`
      const isTold = warnings.length > 0 || error !== undefined
      if (warnings.length > 0) warned++
      if (!isTold) expect(jobsOf(await rowsOf(store)), at).toEqual([])
      await doJobs(store)
      expect(jobsOf(await soundRows(store, at)), at).toEqual([])
      await store.close()
    }
  expect(warned, "statements of which there was a warning").toBeGreaterThan(9)
})
