import { afterEach, describe, expect, test } from "vitest"
import type { Message } from "../../../../src/core/span.ts"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"
import { createIdleStore } from "../../../support/idle-store.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

afterEach(expectScriptsDone)

async function rootTurns(mode: "json" | "native" | "chat", steps: readonly ScriptedStep[], words: readonly string[]) {
  const dataFolder = tempFolder({ "workspace/a.txt": "一\n二\n" })
  const profile = await loadProfile("root", { locale: "zh-CN", env: {}, dataFolder })
  const model = scriptedModel(steps, { capabilities: { tools: mode === "native" } })
  const store = createIdleStore()
  // These look at the dialect's messages, so the agent has its tools itself.
  const direct = { ...profile, processes: {}, timeZone: "UTC", loop: { ...profile.loop, mode } }
  const { session } = testAgent(model, resolveProfile(direct), { store })
  const results = []
  for (const text of words) results.push(await session.send(text).result)
  return { requests: model.requests.map(({ messages }) => messages), results, history: (await store.load(session.key))?.history }
}

function isPrefix(before: readonly Message[], after: readonly Message[]): boolean {
  return JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before)
}

const nativeCall = (name: string, args: object): ScriptedStep => [
  { type: "tool-call", call: { id: "c1", name, args: JSON.stringify(args) } },
]

describe("R4: the root dialect in the loop", () => {
  test("json: each step of a turn extends the one before, results in the notation", async () => {
    const steps = [callTool("calculate", { expression: "1+1" }), callTool("read", { path: "a.txt" }), finish("2 呀@br%[a.txt]")]
    const { requests, results } = await rootTurns("json", steps, ["算一下"])
    for (const [at, request] of requests.entries()) if (at > 0) expect(isPrefix(requests[at - 1] ?? [], request)).toBe(true)
    expect(requests[2]?.slice(2).map(({ content }) => content)).toEqual([steps[0], "#calculate\n2", steps[1], "#read\n一\n二\n"])
    expect(results[0]).toMatchObject({ ok: true, text: "2 呀", attachments: [{ path: "a.txt" }] })
  })

  test("native: calls and results are messages of their own, and each step extends the one before", async () => {
    const { requests, results } = await rootTurns("native", [nativeCall("calculate", { expression: "1+1" }), "2 呀"], ["算一下"])
    expect(isPrefix(requests[0] ?? [], requests[1] ?? [])).toBe(true)
    expect(requests[1]?.slice(2)).toMatchObject([
      { role: "assistant", content: "" },
      { role: "tool", content: "2" },
    ])
    expect(requests[0]?.[0]?.content).not.toContain('"action"')
    expect(results[0]).toMatchObject({ ok: true, text: "2 呀" })
  })

  test("chat: one call, no tools; from turn to turn everything before the last words stays", async () => {
    const { requests } = await rootTurns("chat", ["早呀", "<empty_reply>", "在"], ["早", "……", "在吗"])
    expect(requests[0]?.[0]?.content).not.toContain("# tools（工具）")
    for (const [at, request] of requests.entries()) if (at > 0) expect(isPrefix(requests[at - 1] ?? [], request)).toBe(true)
    expect(requests[2]?.slice(1).map(({ content }) => content)).toEqual([
      "^用户:20260102 3:04 早",
      "20260102 3:04 早呀",
      "^用户:20260102 3:04 ……",
      "20260102 3:04 <empty_reply>",
      "^用户:20260102 3:04 在吗",
    ])
  })

  test("R27 a wake: nobody speaks in its request, and the work of the dialect's sentence is silence", async () => {
    const profile = await loadProfile("root", { locale: "zh-CN", env: {}, dataFolder: tempFolder({}) })
    const model = scriptedModel([finish("<empty_reply>")])
    const { session } = testAgent(model, resolveProfile({ ...profile, variables: { work_mode: true } }))
    expect(await session.wake("闹钟响了").result).toMatchObject({ ok: true, text: "" })
    const last = model.requests[0]?.messages.at(-1)?.content ?? ""
    expect(last).toContain("闹钟响了")
    expect(last).not.toMatch(/^\^/m)
    expect(model.requests[0]?.messages[0]?.content).toContain("没有事情可办，就输出 <empty_reply>")
  })
})
