import { describe, expect, test } from "vitest"
import type { TurnComparison } from "../../../../../src/apps/server/inspector/compare/compare-turns.ts"
import { callTool, finish } from "../../../../support/agents.ts"
import { tempFolder } from "../../../../support/temp-folder.ts"
import { inspected } from "../inspected.ts"

const profile = { dialect: "layered", locale: "en", persona: "You are Fay.\nYou are calm." } as const

/** The lines of a kind on one side. */
function lines({ request }: TurnComparison, side: "a" | "b", kind: string): string[] {
  return (request?.messages ?? []).flatMap((pair) => {
    const text = request?.[side][pair[side] ?? -1]?.spans.map((span) => span.text).join("") ?? ""
    return pair.runs.filter((run) => run.kind === kind).map((run) => text.slice(...run[side]))
  })
}

describe("two turns", () => {
  test("of two sessions stand side by side, with their facts, their layers and the place where they part", async () => {
    const usage = { inputTokens: 100, inputCacheReadTokens: 40, outputTokens: 10 }
    const { agent, session, get } = inspected([], {
      profile,
      prices: { scripted: { input: 10, output: 20, cacheRead: 1 } },
      model: {
        id: "scripted",
        capabilities: { developerRole: false, tools: false },
        async *stream() {
          yield { type: "text-delta", delta: finish("Yes.") }
          yield { type: "usage", usage }
          yield { type: "finish", reason: "stop" }
        },
      },
    })
    const a = (await session.send("Is it open?").result).trace.turnId
    const other = agent.session("other")
    other.stack.add({ key: "mood", content: "angry as a storm", scope: "session" })
    const b = (await other.send("Is it closed?").result).trace.turnId
    const compared = await get<TurnComparison>(`api/compare?a=${a}&b=${b}`)
    expect(compared).toMatchObject({
      a: { id: a, question: "Is it open?", calls: 1, usage, cost: 0.00084, chosen: 0 },
      b: { id: b, question: "Is it closed?", session: { conversation: "other" }, requests: [{ path: "", prompt: "planner" }] },
      request: { isCoarse: false, change: { outcome: "changed", cause: { key: "mood", change: "added" }, brokeStable: true } },
    })
    expect(lines(compared, "b", "added").join("")).toContain("angry as a storm")
    expect(lines(compared, "b", "changed").join("")).toContain("Is it closed?")
    expect(compared.request?.layers.find(({ key }) => key === "mood")).toMatchObject({ a: 0, b: expect.any(Number) })
    expect(compared.request?.changedPrefix?.stability).toBe("session")
  })

  test("may be one and the same: then nothing differs", async () => {
    const { session, get } = inspected([finish("Yes.")], { profile })
    const { turnId } = (await session.send("Is it open?").result).trace
    const compared = await get<TurnComparison>(`api/compare?a=${turnId}&b=${turnId}`)
    expect(compared.request?.change.outcome).toBe("none")
    for (const kind of ["changed", "added", "removed"]) expect(lines(compared, "a", kind)).toEqual([])
  })

  test("are compared by any of their requests, also those read from the disk", async () => {
    const keep = { folder: tempFolder() }
    const first = inspected([callTool("look"), finish("It is three.")], { profile, keep })
    const a = (await first.session.send("What time is it?").result).trace.turnId
    await first.made.close()
    const later = inspected([finish("It is four.")], { profile, keep, agentOptions: { ports: { ids: { next: () => "later" } } } })
    const b = (await later.session.send("What time is it?").result).trace.turnId
    const compared = await later.get<TurnComparison>(`api/compare?a=${a}&b=${b}&requestA=1`)
    expect(compared.a.requests).toHaveLength(2)
    expect(compared).toMatchObject({ a: { calls: 2, tools: 1, chosen: 1 }, request: { change: { since: { turn: a, step: 2 } } } })
    expect([...lines(compared, "a", "removed"), ...lines(compared, "a", "changed")].join("")).toContain("three")
  })

  test("that are not kept, and requests that are not there, are refused by name", async () => {
    const { session, fetch } = inspected([finish("Yes.")], { profile })
    const { turnId } = (await session.send("Is it open?").result).trace
    const refusal = async (query: string) => {
      const answer = await fetch(`api/compare?${query}`)
      return [answer.status, ((await answer.json()) as { error: { param: string | null } }).error.param]
    }
    expect(await refusal(`a=${turnId}`)).toEqual([400, "b"])
    expect(await refusal(`a=gone&b=${turnId}`)).toEqual([404, null])
    for (const index of ["1", "-1", "x", "1e9", "0.5"])
      expect(await refusal(`a=${turnId}&b=${turnId}&requestB=${index}`)).toEqual([400, "requestB"])
  })

  test("show no key, neither in a message nor in a call", async () => {
    const key = "sk-abcdefghijklmnopqrstuvwxyz012345"
    const { session, fetch } = inspected([callTool("look", { key }), finish("Yes."), finish("No.")], { profile })
    const a = (await session.send(`My key is ${key}.`).result).trace.turnId
    const b = (await session.send("And now?").result).trace.turnId
    const text = await (await fetch(`api/compare?a=${a}&b=${b}&requestA=1`)).text()
    expect(text).toContain("[secret]")
    expect(text).not.toContain(key)
  })
})
