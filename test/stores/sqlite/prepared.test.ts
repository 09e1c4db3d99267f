import { join } from "node:path"
import { DefaultQueryCompiler } from "kysely"
import { afterEach, expect, test, vi } from "vitest"
import { openSqliteStore } from "../../../src/stores/sqlite/open-sqlite-store.ts"
import { tempFolder } from "../../support/temp-folder.ts"
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
