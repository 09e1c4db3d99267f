import { join } from "node:path"
import { DefaultQueryCompiler } from "kysely"
import { afterEach, expect, test, vi } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { turnOf } from "./support/turns.ts"

afterEach(() => vi.restoreAllMocks())

test("a turn without jobs builds no statement that a turn before has built, also of another conversation", async () => {
  const store = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  const turn = async (turnId: string, conversation: string, expectVersion: number): Promise<void> => {
    const { key, commit } = turnOf(turnId, conversation)
    expect((await store.load(key, { last: 80 }))?.version ?? 0).toBe(expectVersion)
    await store.commit(key, { ...commit, jobs: [], expectVersion })
  }
  await turn("one", "a", 0)
  await turn("two", "a", 1)
  const built = vi.spyOn(DefaultQueryCompiler.prototype, "compileQuery")
  await turn("three", "a", 2)
  await turn("four", "b", 0)
  expect(built).not.toHaveBeenCalled()
  const turns = async (conversation: string) =>
    (await store.load(turnOf("", conversation).key))?.history.map(({ turnId }) => turnId)
  expect(await turns("a")).toEqual(["one", "one", "two", "two", "three", "three"])
  expect(await turns("b")).toEqual(["four", "four"])
  await store.close()
})

test("the jobs, receipts and looks at a user that follow a turn build no statement that those of a turn before have built", async () => {
  const store = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  const turn = async (turnId: string, expectVersion: number): Promise<void> => {
    const { key, commit } = turnOf(turnId, "a")
    const mine = { ...key, user: "ann" }
    await store.commit(key, { ...commit, expectVersion })
    const receipt = { key: mine, turnId, kind: "importance", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 } as const
    await store.receipts.put(receipt, { ofTurn: true })
    expect((await store.users.load(mine)).statements).toEqual([])
    expect((await store.users.load({ ...mine, audience: "group" })).statements).toEqual([])
  }
  await turn("one", 0)
  await turn("two", 1)
  const built = vi.spyOn(DefaultQueryCompiler.prototype, "compileQuery")
  await turn("three", 2)
  expect(built).not.toHaveBeenCalled()
  expect(await store.receipts.ofTurn("three", { ...turnOf("three", "a").key, user: "ann" })).toMatchObject([{ outcome: "ok" }])
  expect((await store.check()).counts).toMatchObject({ job: 3, receipt: 3 })
  await store.close()
})
