import { afterEach, describe, expect, test } from "vitest"
import type { ModelRequest } from "../../../src/core/model/language-model.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { createVirtualContext } from "../../../src/memory/forgetting/plugin/virtual-context.ts"
import type { BeforeTurnContext, TurnHook } from "../../../src/memory/services/turn-hook.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { countingIds, expectScriptsDone, manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const asked = { "zh-CN": "上一次回答少了 report_use", en: "report_use was missing with your previous answer" }
const hourMs = 3_600_000
const put = callTool("put_into_workspace", { id: "%[plan.md]", text: "the plan" })
const takeOut = callTool("take_out_of_workspace", { ids: ["plan.md"] })
const reported = JSON.stringify({ action: "finish", message: "Yes.", tool: "report_use", args: { used: ["plan.md"] } })
/** An answer without its report, and without one when the model is asked for it. */
const missed = [finish("Yes."), finish("No.")]

/** A life of turns, each with the answers of the model to it. Returns the numbers of the turns whose prompts asked for an earlier report. */
async function live(
  turns: readonly (readonly string[])[],
  { locale = "en" as keyof typeof asked, hooks = [] as TurnHook[] } = {},
) {
  const clock = manualClock(Date.UTC(2026, 0, 5, 9, 0))
  const requests: ModelRequest[] = []
  const keep = (answer: string) => (request: ModelRequest) => {
    requests.push(request)
    return answer
  }
  const agent = createAgent({
    profile: resolveProfile({
      ...{ name: "mei", dialect: "root", locale, timeZone: "UTC", memory: { enabled: false } },
      observers: { "main-observer": {} },
    }),
    model: scriptedModel(turns.flat().map(keep)),
    plugins: [createVirtualContext({ locale, events: { timeZone: "UTC" } })],
    hooks,
    ports: { clock, timers: manualTimers(clock), ids: countingIds() },
  })
  const session = agent.session("test")
  const nagging: number[] = []
  for (const at of turns.keys()) {
    requests.length = 0
    expect((await session.send(`turn ${at}`).result).trace.error).toBeUndefined()
    await agent.idle()
    clock.advance(12 * hourMs)
    if (requests.some(({ messages }) => messages.some(({ content }) => content.includes(asked[locale])))) nagging.push(at)
  }
  return nagging
}

describe("H2, R16: a report that did not come", () => {
  test.each(["zh-CN", "en"] as const)(
    "is asked for in the next turn alone, over 60 days with every tenth report missed (%s)",
    async (locale) => {
      const turns = Array.from({ length: 120 }, (_, at) =>
        at === 0 ? [put, finish("Kept.")] : at % 10 === 9 ? missed : [reported],
      )
      expect(await live(turns, { locale })).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110])
    },
  )

  test("is never asked for again while none comes, and once more after one has come", async () => {
    const turns = [[put, finish("Kept.")], missed, missed, missed, missed, [reported], missed, [reported], [reported]]
    expect(await live(turns)).toEqual([2, 7])
  })

  test("is not asked for once the workspace is empty", async () => {
    const turns = [[put, finish("Kept.")], [takeOut, ...missed], [finish("1")], [put, finish("2")], [reported]]
    expect(await live(turns)).toEqual([])
  })

  test("is not asked for where the tool is not offered", async () => {
    const withdraw = { name: "withdraw", beforeTurn: ({ withdrawTools }: BeforeTurnContext) => withdrawTools(["report_use"]) }
    const turns = [[put, finish("Kept.")], [finish("1")], [finish("2")]]
    expect(await live(turns, { hooks: [withdraw] })).toEqual([])
  })
})
