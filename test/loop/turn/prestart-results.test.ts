import { afterEach, describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../src/core/conversation.ts"
import { historyWindow } from "../../../src/loop/agent/create-turn-context.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { printTrace } from "../../../src/trace/print-trace.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"
import { turnState } from "../../support/turns.ts"

afterEach(expectScriptsDone)

const minute = 60_000

/** A tool whose results are given, and an agent that runs it before each of some turns. */
function weather(turns: number, results: readonly string[], entry: object, profile = {}) {
  const ran: string[] = []
  const tool = defineTool({
    name: "weather",
    description: "天气",
    execute: (_, { key }) => {
      ran.push(key.user)
      return results[ran.length - 1] ?? "?"
    },
  })
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const model = scriptedModel(Array.from({ length: turns }, () => finish("好")))
  const store = createIdleStore()
  const settings = { prestart: [{ tool: "weather", ...entry }], memory: { enabled: false }, ...profile }
  const made = () => testAgent(model, settings, { tools: [tool], store, ports: { clock } })
  const prompt = (at: number) =>
    model.requests
      .at(at)
      ?.messages.map(({ content }) => content)
      .join("\n") ?? ""
  return { made, ran, clock, model, prompt }
}

const copies = (text: string, words: string) => text.split(words).length - 1

describe("H5 a result with refresh_ms", () => {
  test("is used with its age until it is so old, also after a restart, and then the tool runs again", async () => {
    const { made, ran, clock, prompt } = weather(4, ["晴", "雨"], { refreshMs: 10 * minute })
    await made().session.send("一").result
    expect(prompt(-1)).toContain("【weather】\n```\n晴")
    clock.advance(3 * minute)
    const { trace } = await made().session.send("二").result
    expect(ran).toHaveLength(1)
    expect(prompt(-1)).toContain("【weather】（3 分钟前的结果）\n```\n晴")
    expect(printTrace(trace)).toContain("prestart weather() → 晴 (repeat, not run)")
    clock.advance(6 * minute)
    await made().session.send("三").result
    expect(prompt(-1)).toContain("（9 分钟前的结果）")
    clock.advance(minute)
    await made().session.send("四").result
    expect(ran).toHaveLength(2)
    expect(prompt(-1)).toContain("【weather】\n```\n雨")
  })

  test("is not used for another speaker, nor for other arguments", async () => {
    const args = { about: "{{question}}" }
    const { made, ran } = weather(4, ["晴", "雨", "雪"], { refreshMs: 10 * minute, args })
    const { session } = made()
    const [ann, bob] = ["ann", "bob"].map((id) => ({ from: { id, name: id } }))
    for (const [words, options] of [
      ["一", ann],
      ["一", ann],
      ["一", bob],
      ["二", bob],
    ] as const)
      await session.send(words, options).result
    expect(ran).toEqual(["ann", "bob", "bob"])
  })

  test("is not used if it failed or was empty", async () => {
    const { made, ran } = weather(2, ["", "晴"], { refreshMs: 10 * minute })
    const { session } = made()
    for (const words of ["一", "二"]) await session.send(words).result
    expect(ran).toHaveLength(2)
  })

  test.each(["fay", "layered", "root", "soul", "stack", "stack-cached", "tavern"])(
    "shows its age in both languages: %s",
    (dialect) => {
      const prestart = [{ tool: "weather", args: { at: "Rome" }, result: "sun", ageMs: 90_000 }]
      const shown = (["zh-CN", "en"] as const).map((locale) => {
        const { messages } = assemble(new PromptStack(), { dialect, locale, prompt: "final", turn: turnState("?", { prestart }) })
        return messages.map(({ content }) => content).join("\n")
      })
      expect(shown[0]).toContain("2 分钟前的结果")
      expect(shown[1]).toContain("a result from 2 min ago")
    },
  )
})

describe("T26 results in history", () => {
  test("H5 an unchanged result is kept once, a changed one again", async () => {
    const { made, prompt } = weather(10, [..."晴晴晴晴晴雨雨雨雨雨".split("")], { includeHistory: true }, { dialect: "layered" })
    const { session } = made()
    for (let turn = 0; turn < 10; turn++) await session.send(`${turn}`).result
    expect(copies(prompt(-1), '<prestart keep="true">')).toBe(2)
    expect(copies(prompt(-1), "晴")).toBe(1)
    const history = await session.history()
    expect(history.map(({ prestart }) => prestart?.map(({ result, once }) => (once ? `(${result})` : result)).join())).toEqual(
      ["晴", "(晴)", "(晴)", "(晴)", "(晴)", "雨", "(雨)", "(雨)", "(雨)", "(雨)"].flatMap((one) => [one, undefined]),
    )
  })

  test("T26 one without include_history stands in history(), marked, and in no later prompt", async () => {
    const { made, prompt } = weather(2, ["晴", "雨"], {})
    const { session } = made()
    for (const words of ["一", "二"]) await session.send(words).result
    const [said] = await session.history()
    expect(said?.prestart).toEqual([{ tool: "weather", args: {}, result: "晴", once: true }])
    expect(prompt(-1)).not.toContain("晴")
  })

  test("S16 H5 outdated results leave when the window moves, and the prefix holds in between", async () => {
    const results = Array.from({ length: 40 }, (_, turn) => `第${turn}日`)
    const profile = { dialect: "layered", history: { contextCount: 8, window: "steps" } } as const
    const { made, model } = weather(40, results, { includeHistory: true }, profile)
    const { session } = made()
    for (let turn = 0; turn < 40; turn++) await session.send(`问${turn}`).result
    let moved = 0
    for (const [at, { messages }] of model.requests.entries()) {
      const before = model.requests[at - 1]?.messages.slice(0, -1)
      if (before === undefined) continue
      const holds = before.every(({ content }, index) => messages[index]?.content === content)
      if (holds) continue
      moved++
      // Of the messages that stood there before, only the newest result is left.
      expect(
        copies(
          messages
            .slice(0, 9)
            .map(({ content }) => content)
            .join("\n"),
          '<prestart keep="true">',
        ),
      ).toBe(1)
    }
    expect(moved).toBeGreaterThan(5)
    expect(moved).toBeLessThan(11)
  })

  test("H5 a window that slides keeps the newest result of each call, and none moves before the first cut", () => {
    const said = (at: number): HistoryMessage => {
      const prestart = [{ tool: at % 2 === 0 ? "a" : "b", args: {}, result: `${at}` }]
      return { role: "user", text: `m${at}`, speaker: { id: "u", name: "U" }, turnId: `t${at}`, atMs: at, prestart }
    }
    const history = Array.from({ length: 12 }, (_, at) => said(at))
    const shown = historyWindow(history, { contextCount: 6, window: "slide" })
    expect(shown.map(({ prestart = [] }) => prestart.map(({ result }) => result).join())).toEqual(["", "", "", "", "10", "11"])
    expect(historyWindow(history.slice(0, 6), { contextCount: 6, window: "slide" })).toEqual(history.slice(0, 6))
  })
})
