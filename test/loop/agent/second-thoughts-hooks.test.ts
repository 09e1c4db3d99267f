import { expect, test } from "vitest"
import type { VirtualContextState } from "../../../src/memory/forgetting/plugin/context-state.ts"
import { createVirtualContext } from "../../../src/memory/forgetting/plugin/virtual-context.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { StoredTurn } from "../../../src/memory/services/store/session-store.ts"
import type { TurnHook } from "../../../src/memory/services/turn-hook.ts"
import {
  type CharacterMemory,
  changedIn,
  characterMemory,
  characterOnBranch,
} from "../../../src/node/character/character-hook.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const key = { agent: "test", conversation: "test", audience: "private" } as const

test("a hook gives back its state without the turns that are set aside, in the write that sets them aside", async () => {
  const store = createInMemoryStore()
  const warnings: string[] = []
  const log: TurnHook = {
    name: "log",
    beforeTurn: ({ state, turnId }) => state.set([...((state.get() as string[] | undefined) ?? []), turnId]),
    setAside: ({ turns, state, notes }) => {
      const gone = turns.map(({ turnId }) => turnId)
      return [...(state as string[]).filter((id) => !gone.includes(id)), ...notes.map(({ id }) => id)]
    },
  }
  const broken: TurnHook = {
    name: "broken",
    beforeTurn: ({ state }) => state.set("kept"),
    setAside: () => {
      throw new Error("no idea")
    },
  }
  const { session, agent } = testAgent(
    backgroundModel(),
    {},
    { store, hooks: [log, broken], onWarning: ({ message }) => void warnings.push(message) },
  )
  for (const text of ["one", "two", "three"]) await session.send(text).result
  await store.post(key, { id: "a note", owner: "log", payload: {} })
  await session.rewind("turn-2")
  const { hooks } = (await store.load(key))?.state ?? {}
  expect(hooks).toEqual({ log: ["turn-1", "turn-2", "a note"], broken: "kept" })
  expect((await store.load(key))?.notes).toEqual([])
  expect(warnings).toEqual([expect.stringMatching(/hook broken .* no idea/)])
  await session.regenerate().result
  expect((await store.load(key))?.state.hooks).toMatchObject({ log: ["turn-1", "a note", "turn-4"] })
  await agent.close()
})

test("a turn that replaces another neither reads nor recalls the words of the one before", async () => {
  const seen: unknown[] = []
  const hook: TurnHook = {
    name: "reader",
    async beforeTurn({ messages, history, recall, signal }) {
      const said = await messages({ limit: 9 })
      const recalled = await recall?.("hello", { limit: 9, signal })
      seen.push([said.length, history.length, recalled?.length])
    },
  }
  const { session, agent } = testAgent(backgroundModel({ importance: "9" }), {}, { store: createInMemoryStore(), hooks: [hook] })
  await session.send("hello, I like tea").result
  await agent.idle()
  await session.regenerate().result
  expect(seen).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ])
  await agent.close()
})

test("R20 a virtual context drops the events of turns that are set aside, with what rests on them", () => {
  const hook = createVirtualContext().hooks?.[0]
  const day = 86_400_000
  const event = (id: string, sources: string[], more: object = {}) => ({
    ...{ id, grain: "moment", stamp: id, startMs: 10, endMs: 20, text: id, importance: 5, stability: 1, children: [], sources },
    ...{ recalled: { atMs: 10, turn: 0 }, ...more },
  })
  const state = {
    version: 1,
    events: [
      event("topic:a", ["t1"]),
      event("topic:b", ["t2", "t3"], { startMs: 30, endMs: 60 }),
      event("day:1", [], { grain: "day", children: ["topic:a"], startMs: 0, endMs: 40 }),
      event("day:2", [], { grain: "day", children: ["topic:b"], startMs: 0, endMs: 40 }),
      event("month:1", [], { grain: "month", children: ["day:2"], startMs: -day, endMs: 40 }),
    ],
    workspace: [],
    compressed: [],
    ended: [],
    pulled: [
      { id: "old", kind: "file", text: "old", pulled: { atMs: 10, turn: 0 } },
      { id: "new", kind: "file", text: "new", pulled: { atMs: 55, turn: 2 } },
    ],
  } as unknown as VirtualContextState
  const message = { role: "user", text: "x", speaker: { id: "u", name: "U" }, turnId: "t3", atMs: 50 } as const
  const turns: StoredTurn[] = [{ turnId: "t3", parent: "t2", isAside: false, messages: [message] }]
  const left = hook?.setAside?.({ key, turns, back: [], state, notes: [], turn: 3, atMs: 99 }) as VirtualContextState
  expect(left.events.map(({ id }) => id)).toEqual(["topic:a", "day:1"])
  expect(left.pulled.map(({ id }) => id)).toEqual(["old"])
  expect(left.ended).toEqual([{ id: "topic:b~3", fromMs: 30, lastMs: 49, turns: 1, beforeMs: 50, endedTurn: 3 }])
})

test("a character's state goes back to the one before the first turn that is set aside, and comes back with the turns", () => {
  const empty = characterMemory(undefined)
  const first = changedIn("t1", empty, { ...empty, state: [["mood", "glad"]] })
  const second = changedIn("t2", first, { ...first, state: [["mood", "sad"]] })
  const third = changedIn("t2", second, { ...second, relationships: [{ speaker: "u", traits: [["trust", "low"]] }] })
  const stored = characterMemory(JSON.parse(JSON.stringify(third)))
  const moved = (memory: CharacterMemory, gone: readonly string[], back: readonly string[] = []) =>
    characterMemory(JSON.parse(JSON.stringify(characterOnBranch(memory, { gone: new Set(gone), back }))))
  const plain = ({ aside: _, ...memory }: CharacterMemory) => memory
  expect(plain(moved(stored, ["t2", "t3"]))).toEqual(first)
  expect(plain(moved(stored, ["t1", "t2"]))).toEqual(empty)
  expect(moved(stored, ["t9"])).toEqual(stored)
  expect(moved(moved(stored, ["t2", "t3"]), [], ["t2", "t3"])).toEqual(third)
  const other = changedIn("t4", moved(stored, ["t1", "t2"]), { ...empty, state: [["mood", "angry"]] })
  expect(moved(moved(other, ["t4"], ["t1"]), [], ["t2"])).toMatchObject(third)
  expect(plain(moved(moved(other, ["t4"], ["t1", "t2"]), ["t1", "t2"], ["t4"]))).toEqual(plain(other))
})
