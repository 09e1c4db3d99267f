import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import type { TurnHook } from "../../../src/memory/services/turn-hook.ts"
import { createIdleStore } from "../../support/idle-store.ts"
import { key, say, secondThoughts, talker, textsOf } from "../../support/second-thoughts.ts"
import { tempFolder } from "../../support/temp-folder.ts"

describe("in memory", () => secondThoughts(createInMemoryStore))
describe("in a file", () => secondThoughts(() => openSqliteStore(join(tempFolder(), "store.sqlite"))))

test("second thoughts wait for running turns, and tell of what they cannot do", async () => {
  const made = talker(createInMemoryStore())
  const { session, agent } = made
  const unknown = { code: "usage", evidence: { turnId: "nobody" }, hint: expect.stringContaining("history") }
  expect(await session.regenerate().result).toMatchObject({ ok: false, error: { code: "usage" } })
  const turn = session.send("one")
  const rewinding = session.clear()
  expect((await turn.result).ok).toBe(true)
  await rewinding
  expect(await session.history()).toEqual([])
  await say(made, "two")
  await expect(session.rewind("nobody")).rejects.toMatchObject(unknown)
  await expect(session.choose("nobody")).rejects.toMatchObject(unknown)
  await expect(session.edit("nobody", "x")).rejects.toMatchObject(unknown)
  await expect(session.edit("turn-1:0", "x"), "set aside").rejects.toMatchObject({ code: "usage" })
  await expect(session.fork("test")).rejects.toMatchObject({ code: "usage" })
  const [words, answer] = await session.history()
  await expect(session.edit(answer?.id ?? "", " ")).rejects.toMatchObject({ code: "empty-question" })
  const blank = await session.edit(words?.id ?? "", " ")
  expect(await blank?.result).toMatchObject({ ok: false, error: { code: "empty-question" } })
  expect(() => session.regenerate({ from: { id: "x" } } as object)).toThrow(expect.objectContaining({ code: "usage" }))
  await session.wake("it is time").result
  expect(await session.regenerate().result).toMatchObject({ ok: false, error: { code: "usage" } })
  expect(await textsOf(made)).toEqual(["two", "answer number 2", "answer number 3"])
  const aborted = session.regenerate({ signal: AbortSignal.abort() })
  expect(await aborted.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  await agent.close()
  expect(await session.regenerate().result).toMatchObject({ ok: false, error: { code: "closed" } })
})

/** A store whose second commit is written, and gets no answer. */
function deafStore() {
  const store = createIdleStore()
  const begun = Promise.withResolvers<void>()
  let commits = 0
  const commit: Store["commit"] = async (key, given) => {
    const done = await store.commit(key, given)
    if (commits++ !== 1) return done
    begun.resolve()
    return new Promise(() => undefined)
  }
  return { store: { ...store, commit }, begun: begun.promise }
}

describe("a commit of unknown outcome", () => {
  test("that replaces a turn is told, and the next second thought finds out what became of it", async () => {
    const warnings: string[] = []
    const { store, begun } = deafStore()
    const onWarning = ({ message }: { readonly message: string }) => void warnings.push(message)
    const { session, agent } = talker(store, { onWarning })
    await session.send("one").result
    const turn = session.regenerate()
    await begun
    turn.abort()
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted", evidence: { commit: "unknown" } } })
    await session.rewind(turn.id)
    expect(warnings).toEqual([expect.stringContaining("The turn is stored.")])
    expect((await session.history()).map(({ text }) => text)).toEqual(["one", "answer number 2"])
    await agent.close()
  })

  test("of a change says so, and the conversation is what the store made of it", async () => {
    const { store, begun } = deafStore()
    const { session, timers, agent } = talker(store)
    await session.send("one").result
    const rewinding = session.clear()
    const outcome = rewinding.catch((error: unknown) => error)
    await begun
    timers.advance(10_000_000)
    const known = { code: "turn-timeout", evidence: { commit: "unknown" }, hint: expect.stringContaining("history") }
    expect(await outcome).toMatchObject(known)
    await session.clear()
    expect(await session.history()).toEqual([])
    await agent.close()
  })
})

test("an edit of a message that is forgotten meanwhile is told, and changes nothing", async () => {
  const made = talker(createInMemoryStore())
  const { session, agent, store } = made
  await say(made, "one")
  const before = session.send("two")
  const edited = await session.edit("turn-1:0", "other words")
  await before.result
  await store.forget({ agent: "test", conversation: "test" })
  const again = session.edit("turn-1:0", "other words")
  await expect(again).rejects.toMatchObject({ code: "usage", evidence: { turnId: "turn-1:0" } })
  expect(await edited?.result).toMatchObject({ ok: false, error: { code: expect.stringMatching(/usage|session-conflict/) } })
  expect(await session.history()).toEqual([])
  await agent.close()
})

test("a fork has the notes that wait and the bytes that its messages name", async () => {
  const store = createInMemoryStore()
  const noted: unknown[] = []
  const hook: TurnHook = { name: "reader", beforeTurn: ({ notes }) => void noted.push(notes.map(({ id }) => id)) }
  const made = talker(store, { hooks: [hook] })
  const { session, agent } = made
  const { id } = await store.blobs.put(new Uint8Array([1, 2, 3]), key)
  const other = await store.blobs.put(new Uint8Array([4]), key)
  await say(made, `see ${id}`)
  await store.post(key, { id: "a note", owner: "reader", payload: {} })
  await session.fork("copy")
  const copy = { ...key, conversation: "copy" }
  expect(await store.blobs.get(id, copy)).toEqual(new Uint8Array([1, 2, 3]))
  expect(await store.blobs.get(other.id, copy)).toBeUndefined()
  await agent.session("copy").send("two").result
  await session.send("two").result
  expect(noted).toEqual([[], ["a note"], ["a note"]])
  await agent.session("copy").fork("copy of a copy")
  await store.forget({ agent: "test", conversation: "test" })
  await store.forget({ agent: "test", conversation: "copy" })
  expect(await store.blobs.get(id, { ...key, conversation: "copy of a copy" })).toEqual(new Uint8Array([1, 2, 3]))
  await expect(agent.session("copy of a copy").fork("copy of a copy")).rejects.toMatchObject({ code: "usage" })
  for (const name of ["", " ", 7 as unknown as string]) await expect(session.fork(name)).rejects.toMatchObject({ code: "usage" })
  await agent.close()
})
