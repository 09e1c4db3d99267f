import { expect, test } from "vitest"
import { firstStabilityDays } from "../../../../src/core/retrievability.ts"
import { garbageOf } from "../../../../src/loop/agent/observers/watch-turns.ts"
import type { ObserverParts, WatchedTurn } from "../../../../src/loop/agent/observers/watched-turn.ts"

interface Said {
  readonly atMs: number
  readonly turnId: string
  readonly text: string
}

/** What is garbage after turn 20, of one pulled file and one item of the workspace that came at 100 ms. */
async function garbage(
  { id = "notes/plan.md", pulledTurn = 15, addedTurn = 10, workspace = {} as object, said = [] as readonly Said[] } = {},
  asked: unknown[] = [],
) {
  const moment = (turn: number) => ({ turn, atMs: 100 })
  const item = { id, stability: firstStabilityDays, added: moment(addedTurn), recalled: moment(addedTurn), ...workspace }
  const turn = {
    session: { turns: 21 },
    state: { workspace: [item], pulled: [{ id: `${id}x`, kind: "file", text: "", pulled: moment(pulledTurn) }] },
    context: { messages: async (filter: unknown) => asked.push(filter) && said },
  }
  const parts = { settings: { pulledTurns: 5, workspaceTurns: 10 } }
  return garbageOf(parts as unknown as ObserverParts, turn as unknown as WatchedTurn)
}

test("what was pulled or put in long enough ago and never named is garbage", async () => {
  const asked: unknown[] = []
  expect(await garbage({}, asked)).toEqual({ workspace: ["notes/plan.md"], pulled: ["notes/plan.mdx"] })
  expect(asked).toEqual([{ fromMs: 100, limit: 200 }])
  expect(await garbage({ pulledTurn: 16 })).toEqual({ workspace: ["notes/plan.md"], pulled: [] })
  expect(await garbage({ addedTurn: 11 })).toEqual({ workspace: [], pulled: ["notes/plan.mdx"] })
  const none: unknown[] = []
  expect(await garbage({ pulledTurn: 16, addedTurn: 11 }, none)).toEqual({ workspace: [], pulled: [] })
  expect(none).toEqual([])
})

test.each<[string, object]>([
  ["was used, and so is more stable", { stability: firstStabilityDays + 1 }],
  ["was named in another turn", { recalled: { turn: 11, atMs: 100 } }],
  ["was named at another time", { recalled: { turn: 10, atMs: 101 } }],
])("an item that %s is none", async (_, workspace) => {
  expect((await garbage({ workspace })).workspace).toEqual([])
})

test.each<[string, string, Said, boolean]>([
  ["by its path", "notes/plan.md", { atMs: 101, turnId: "t", text: "see notes/plan.md" }, true],
  ["by the last part of its path", "notes/plan.md", { atMs: 101, turnId: "t", text: "see plan.md" }, true],
  ["by the last part of a Windows path", "notes\\plan.md", { atMs: 101, turnId: "t", text: "see plan.md" }, true],
  ["by a last part of three characters", "notes/abc", { atMs: 101, turnId: "t", text: "abc" }, true],
  ["not by a last part of two characters", "notes/ab", { atMs: 101, turnId: "t", text: "ab" }, false],
  ["by a whole name of two characters", "ab", { atMs: 101, turnId: "t", text: "ab" }, true],
  ["not by another part of its path", "notes/plan.md", { atMs: 101, turnId: "t", text: "notes" }, false],
  ["not at the moment itself", "notes/plan.md", { atMs: 100, turnId: "t", text: "plan.md" }, false],
])("an item is named %s", async (_, id, message, isNamed) => {
  expect((await garbage({ id, said: [message] })).workspace).toEqual(isNamed ? [] : [id])
})

test("the words of the turn that put an item in do not name it, whenever they were stored", async () => {
  const own = { atMs: 100, turnId: "own", text: "read it" }
  expect((await garbage({ said: [own, { atMs: 105, turnId: "own", text: "plan.md" }] })).workspace).toEqual(["notes/plan.md"])
  expect((await garbage({ said: [own, { atMs: 105, turnId: "next", text: "plan.md" }] })).workspace).toEqual([])
})
