import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { expectScriptsDone, scriptedModel } from "../../../../src/testing/index.ts"
import { finish, type TestAgent, testAgent } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

afterEach(expectScriptsDone)

/** An agent over a file that another connection can lock. A wait of the store begins with `onWait`, and ends with what that calls. */
async function overFile(model: Parameters<typeof testAgent>[0], onWait: (resume: () => void, ms: number) => void) {
  const file = join(tempFolder(), "store.sqlite")
  const timers = { set: onWait, clear: () => undefined }
  const store = await openSqliteStore(file, { busyMs: 1_000, timers, random: () => 0 })
  const other = new DatabaseSync(file)
  const warnings: string[] = []
  const onWarning = ({ message }: { readonly message: string }): void => void warnings.push(message)
  const given: TestAgent = testAgent(
    model,
    { limits: { turnMs: 5_000, stepMs: 1_000_000, firstTokenMs: 1_000_000 } },
    { store, runJobs: false, onWarning },
  )
  return { ...given, store, warnings, lock: () => other.exec("begin immediate"), unlock: () => other.close() }
}

test("T19 a turn over a locked file ends with its own time limit, and does not wait until the file is free to keep its words", async () => {
  const blocked = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { session, timers, warnings, lock, unlock } = await overFile(
    scriptedModel([
      () => {
        asked.resolve()
        return [{ stallUntilAborted: true }]
      },
    ]),
    () => blocked.resolve(),
  )
  lock()
  const turn = session.send("你好")
  await asked.promise
  timers.advance(5_000)
  await blocked.promise
  timers.advance(2_000)
  const result = await turn.result
  expect(result.ok || result.error.code).toBe("turn-timeout")
  expect(warnings).toEqual([expect.stringContaining("took longer than 2000 ms. They may be missing")])
  unlock()
})

test("T19 a turn whose answer a locked file refuses ends with the store's error after the store's limit", async () => {
  const refused = Promise.withResolvers<void>()
  let waitedMs = 0
  const { session, lock, unlock, timers } = await overFile(
    scriptedModel([
      () => {
        lock()
        return finish("一")
      },
    ]),
    (resume, ms) => {
      waitedMs += ms
      // From then on the store waits for the words of the turn that failed.
      if (waitedMs > 1_050) refused.resolve()
      else setImmediate(resume)
    },
  )
  const turn = session.send("你好")
  await refused.promise
  await timers.whenPending(1)
  timers.advance(2_000)
  const result = await turn.result
  expect(result.ok || [result.error.code, result.gathered.text]).toEqual(["store", "一"])
  unlock()
})

test("T62 a commit that a locked file takes late stands before the next turn, which goes on behind it", async () => {
  const blocked = Promise.withResolvers<void>()
  const waits: (() => void)[] = []
  const { session, timers, store, warnings, lock, unlock } = await overFile(
    scriptedModel([
      () => {
        lock()
        return finish("一")
      },
      () => {
        unlock()
        for (const resume of waits.splice(0)) resume()
        return finish("二")
      },
    ]),
    (resume) => {
      waits.push(resume)
      blocked.resolve()
    },
  )
  const turn = session.send("第一句")
  await blocked.promise
  timers.advance(5_000)
  expect(await turn.result).toMatchObject({ ok: false, error: { code: "turn-timeout", evidence: { commit: "unknown" } } })
  expect(await session.send("第二句").result).toMatchObject({ ok: true, text: "二" })
  expect((await store.load(session.key))?.history.map(({ text }) => text)).toEqual(["第一句", "一", "第二句", "二"])
  expect(warnings).toEqual([expect.stringContaining("The turn is stored.")])
  await store.close()
})
