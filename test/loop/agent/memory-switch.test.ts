import { afterEach, describe, expect, test } from "vitest"
import type { MemoryRecall } from "../../../src/memory/services/memory/memory-service.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"

afterEach(expectScriptsDone)

function recalling(texts: readonly string[]) {
  const queries: string[] = []
  const memory: MemoryRecall = {
    async recall(query) {
      queries.push(query)
      return texts.map((text, index) => ({ id: String(index), text }))
    },
  }
  return { memory, queries }
}

describe("a conversation's memory switch (D2)", () => {
  test("off, recall is not even called; on again, it is; both outlive the process", async () => {
    const { memory, queries } = recalling(["喜欢可颂"])
    const store = createIdleStore()
    const model = scriptedModel([finish("一"), finish("二"), finish("三")])
    const { session } = testAgent(model, {}, { memory, store })
    await session.setMemory(false)
    await session.send("甲").result
    expect(queries).toEqual([])

    const later = testAgent(model, {}, { memory, store })
    expect(await later.session.memoryOn()).toBe(false)
    await later.session.send("乙").result
    expect(queries).toEqual([])

    await later.session.setMemory(true)
    await later.session.send("丙").result
    expect(queries).toEqual(["丙"])
  })

  test("waits its turn behind the turns sent before it", async () => {
    const { memory, queries } = recalling([])
    const { session } = testAgent(scriptedModel([finish("一"), finish("二")]), {}, { memory })
    const first = session.send("甲")
    const switched = session.setMemory(false)
    const second = session.send("乙")
    await Promise.all([first.result, switched, second.result])
    expect(queries).toEqual(["甲"])
  })

  test("a profile whose memory is off recalls nothing whatever service there is (L8)", async () => {
    const { memory, queries } = recalling(["喜欢可颂"])
    const { session } = testAgent(scriptedModel([finish("一")]), { memory: { enabled: false } }, { memory })
    await session.send("甲").result
    expect(queries).toEqual([])
  })
})

describe("what history keeps of recalled memories", () => {
  const long = `上次说到\n想去图书馆，${"也想骑车，".repeat(20)}`

  async function secondRequest(older: "drop" | "condense" | "keep", text = long): Promise<string> {
    const model = scriptedModel([finish("一"), finish("二")])
    const profile = { dialect: "layered", context: { older, olderCharacters: 20 } } as const
    const { session } = testAgent(model, profile, { memory: recalling([text]).memory })
    await session.send("甲").result
    await session.send("乙").result
    return model.requests[1]?.messages.find(({ role, content }) => role === "user" && content.includes("甲"))?.content ?? ""
  }

  test("is nothing by default", async () => {
    expect(await secondRequest("drop")).toBe("甲")
  })

  test("is a short line each when condensed", async () => {
    expect(await secondRequest("condense")).toBe(
      "[memory context]\n上次说到 想去图书馆，也想骑车，也想骑…\n[/memory context]\n\n甲",
    )
  })

  test("is a whole line if it is just as long as a condensed one may be", async () => {
    expect(await secondRequest("condense", "x".repeat(20))).toContain(`\n${"x".repeat(20)}\n`)
    expect(await secondRequest("condense", "x".repeat(21))).toContain(`\n${"x".repeat(19)}…\n`)
  })

  test("is all of it when kept, so that each turn's request begins with the whole one before", async () => {
    expect(await secondRequest("keep")).toBe(`[memory context]\n${long}\n[/memory context]\n\n甲`)
    const model = scriptedModel([finish("一"), finish("二")])
    const profile = { dialect: "layered", context: { older: "keep" } } as const
    const { session } = testAgent(model, profile, { memory: recalling([long]).memory })
    await session.send("甲").result
    await session.send("乙").result
    const [first, second] = model.requests.map(({ messages }) => messages)
    expect(second?.slice(0, first?.length)).toEqual(first)
  })
})
