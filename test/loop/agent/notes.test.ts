import { describe, expect, test } from "vitest"
import type { TurnHook } from "../../../src/memory/services/turn-hook.ts"
import { scriptedModel } from "../../../src/testing/scripted-model.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"

function hearing(name = "listener"): { hook: TurnHook; heard: string[][]; turns: number[] } {
  const heard: string[][] = []
  const turns: number[] = []
  const hook: TurnHook = {
    name,
    beforeTurn({ notes, turn }) {
      heard.push(notes.map(({ id }) => id))
      turns.push(turn)
    },
  }
  return { hook, heard, turns }
}

describe("a session's notes", () => {
  test("reach their hook in the next turn, once, also where nothing was committed before", async () => {
    const store = createIdleStore()
    const { hook, heard, turns } = hearing()
    const { session } = testAgent(scriptedModel([finish("1"), finish("2"), finish("3")]), {}, { hooks: [hook], store })
    expect(await store.post(session.key, { id: "n1", owner: "listener", payload: {} })).toBe(true)
    await store.post(session.key, { id: "n2", owner: "somebody else", payload: {} })
    await session.send("a").result
    await session.send("b").result
    expect(await store.post(session.key, { id: "n1", owner: "listener", payload: {} })).toBe(false)
    await session.send("c").result
    expect(heard).toEqual([["n1"], [], []])
    expect(turns).toEqual([0, 1, 2])
    expect((await store.load(session.key))?.notes.map(({ id }) => id)).toEqual(["n2"])
  })

  test("wait for the next turn where this one failed, or where the hook did", async () => {
    const store = createIdleStore()
    let fails = true
    const heard: string[][] = []
    const hook: TurnHook = {
      name: "listener",
      beforeTurn({ notes }) {
        heard.push(notes.map(({ id }) => id))
        if (fails) throw new Error("not now")
      },
    }
    const model = scriptedModel([finish("1"), "", "", "", "", "", "", finish("3")])
    const { session } = testAgent(model, { retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 } }, { hooks: [hook], store })
    await store.post(session.key, { id: "n1", owner: "listener", payload: {} })
    await session.send("a").result
    fails = false
    const turn = session.send("b")
    turn.abort()
    await turn.result
    const last = await session.send("c").result
    expect(last.trace.warnings).toEqual([])
    expect(heard.filter((ids) => ids.length > 0).length).toBeGreaterThanOrEqual(2)
    expect(heard.at(-1)).toEqual(["n1"])
  })
})
