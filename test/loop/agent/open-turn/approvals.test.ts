import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import type { ToolCall } from "../../../../src/core/span.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, manualClock, type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import type { TurnResult } from "../../../../src/trace/turn-event.ts"
import { callTool, collect, finish, testAgent } from "../../../support/agents.ts"
import { noOption } from "../../../support/error-formulas.ts"

afterEach(expectScriptsDone)

const sent: string[] = []
afterEach(() => void sent.splice(0))

const pay = (description = "sends money") =>
  defineTool({
    name: "pay",
    description,
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    writes: true,
    execute: ({ to }) => {
      sent.push(to)
      return `${to} has it`
    },
  })

const look = defineTool({
  name: "look",
  description: "looks",
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => `${at}!`,
})

/** An agent over a store: a second one over the same store is another process. */
function over(
  store: Store,
  steps: readonly ScriptedStep[],
  profile: ProfileInput = {},
  tools = [pay(), look],
  clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5)),
) {
  const model = scriptedModel(steps, { capabilities: { tools: true } })
  const options = { store, tools, runJobs: false, ports: { clock } }
  return { model, ...testAgent(model, { dialect: "layered", locale: "en", ...profile }, options) }
}

const shown = (request: ModelRequest | undefined) => (request?.messages ?? []).map(({ content }) => content).join("\n")

function idOf(result: TurnResult): string {
  const id = result.ok ? result.approvals?.[0]?.id : undefined
  if (id === undefined) throw new Error(`nothing waits: ${JSON.stringify(result)}`)
  return id
}

const native = (id: string, name: string, args: object): { type: "tool-call"; call: ToolCall } => ({
  type: "tool-call",
  call: { id, name, args: JSON.stringify(args) },
})

describe("a call that nobody has answered yet", () => {
  test("ends the turn; the words are in the history, the call is listed, and nothing ran", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" })])
    const turn = session.send("Pay Ada.")
    const events = await collect(turn)
    const result = await turn.result
    expect(result).toMatchObject({ ok: true, text: "", stopReason: "awaiting-approval" })
    const approval = { callId: "call-1", tool: "pay", args: { to: "Ada" }, summary: "pay(to=Ada)" }
    expect(result.ok && result.approvals).toMatchObject([approval])
    expect(await session.approvals()).toMatchObject([approval])
    expect(JSON.stringify(result.ok && result.approvals)).not.toContain("definition")
    expect(events.map(({ type }) => type)).not.toContain("tool-end")
    expect((await session.history()).map(({ role, text }) => [role, text])).toEqual([["user", "Pay Ada."]])
    expect(sent).toEqual([])
  })

  test.each(["json", "native"] as const)(
    "is allowed, also in another process: it runs once, and the %s turn goes on",
    async (mode) => {
      const store = createInMemoryStore()
      const call = mode === "json" ? callTool("pay", { to: "Ada" }) : ["One moment. ", native("n1", "pay", { to: "Ada" })]
      const before = over(store, [call], { loop: { mode } })
      const asked = await before.session.send("Pay Ada.").result
      const after = over(store, [mode === "json" ? finish("Paid.") : "Paid."], { loop: { mode } })
      const result = await after.session.approve(idOf(asked)).result
      expect(result).toMatchObject({
        ok: true,
        text: "Paid.",
        stopReason: "finish",
        trace: { runs: [{ tool: "pay", status: "ok" }] },
      })
      expect(sent).toEqual(["Ada"])
      expect(shown(after.model.requests[0])).toContain("Pay Ada.")
      expect(shown(after.model.requests[0])).toContain("Ada has it")
      const words = (await after.session.history()).map(({ role, text }) => [role, text.trim()])
      const beside = mode === "json" ? [] : [["assistant", "One moment."]]
      expect(words).toEqual([["user", "Pay Ada."], ...beside, ["assistant", "Paid."]])
      expect(await after.session.approvals()).toEqual([])
    },
  )

  test("is refused: it does not run, and the model reads the reason", async () => {
    const store = createInMemoryStore()
    const { session, model } = over(store, [callTool("pay", { to: "Ada" }), finish("As you wish.")])
    const id = idOf(await session.send("Pay Ada.").result)
    const result = await session.deny(id, "too much").result
    expect(result).toMatchObject({ ok: true, text: "As you wish.", trace: { runs: [{ failure: "denied" }] } })
    expect(shown(model.requests[1])).toContain("so it did not run. The reason: too much")
    expect(sent).toEqual([])
  })

  test("may be asked again in the same turn", async () => {
    const { session } = over(createInMemoryStore(), [
      callTool("pay", { to: "Ada" }),
      callTool("pay", { to: "Bob" }),
      finish("Both."),
    ])
    const first = await session.send("Pay both.").result
    const second = await session.approve(idOf(first)).result
    expect(second).toMatchObject({ ok: true, stopReason: "awaiting-approval", approvals: [{ args: { to: "Bob" } }] })
    expect(await session.approve(idOf(second)).result).toMatchObject({ ok: true, text: "Both." })
    expect(sent).toEqual(["Ada", "Bob"])
    expect((await session.history()).map(({ text }) => text)).toEqual(["Pay both.", "Both."])
  })

  test.each(["json", "native"] as const)(
    "is asked about also if the model gives it the id of one that was allowed (%s)",
    async (mode) => {
      const store = createInMemoryStore()
      const call = (to: string) => (mode === "json" ? callTool("pay", { to }) : [native("n0", "pay", { to })])
      const first = await over(store, [call("Ada")], { loop: { mode } }).session.send("Pay Ada.").result
      // Another process, whose ids begin anew too.
      const second = await over(store, [call("Eve")], { loop: { mode } }).session.approve(idOf(first)).result
      expect(second).toMatchObject({ ok: true, stopReason: "awaiting-approval", approvals: [{ args: { to: "Eve" } }] })
      expect(sent).toEqual(["Ada"])
    },
  )

  test("with others beside it: those that need no approval run at once, the rest once all are answered", async () => {
    const calls = [native("a", "pay", { to: "Ada" }), native("b", "look", { at: "sky" }), native("c", "pay", { to: "Bob" })]
    const { session, model } = over(createInMemoryStore(), [calls, "Done."], { loop: { mode: "native" } })
    const asked = await session.send("?").result
    const [one = "", two = ""] = (asked.ok ? (asked.approvals ?? []) : []).map(({ id }) => id)
    const still = await session.approve(one).result
    expect(still).toMatchObject({ ok: true, stopReason: "awaiting-approval", approvals: [{ args: { to: "Bob" } }] })
    expect(sent).toEqual([])
    const result = await session.deny(two).result
    expect(result.trace.runs.map(({ id, status }) => [id, status])).toEqual([
      ["a", "ok"],
      ["b", "ok"],
      ["c", "failed"],
    ])
    expect(sent).toEqual(["Ada"])
    expect(model.requests[1]?.messages.filter(({ role }) => role === "tool")).toHaveLength(3)
    const kept = (await session.history({ limit: 1 })).length
    expect(kept).toBe(1)
  })

  test("that came with words keeps them in the model's own call", async () => {
    const both = JSON.stringify({ action: "finish", message: "One moment.", tool: "pay", args: { to: "Ada" } })
    const { session, model } = over(createInMemoryStore(), [both, finish("Paid.")])
    expect(await session.approve(idOf(await session.send("Pay Ada.").result)).result).toMatchObject({ ok: true })
    expect(shown(model.requests[1])).toContain('{"action":"finish","message":"One moment.","tool":"pay","args":{"to":"Ada"}}')
  })

  test("in a turn that nobody began keeps its reason", async () => {
    const { session, model } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), finish("Paid the rent.")])
    const asked = await session.wake("The rent is due.", { trust: "author" }).result
    expect(await session.approve(idOf(asked)).result).toMatchObject({ ok: true, text: "Paid the rent." })
    expect(shown(model.requests[1])).toContain("The rent is due.")
  })

  test("is refused at once where no conversation is kept, and in an agent inside a tool", async () => {
    const { agent } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), finish("I may not.")])
    const result = await agent.respond([{ role: "user", content: "Pay." }]).result
    expect(result).toMatchObject({ ok: true, text: "I may not.", trace: { runs: [{ failure: "denied" }] } })
  })

  test("takes the items and the words that were given with it", async () => {
    const store = createInMemoryStore()
    const before = over(store, [callTool("pay", { to: "Ada" })])
    const inject = [{ key: "limit", content: "At most five coins." }]
    const id = idOf(await before.session.send("Pay Ada.", { from: { id: "u7", name: "Bob" }, inject }).result)
    const after = over(store, [finish("Paid.")])
    await after.session.approve(id).result
    expect(shown(after.model.requests[0])).toContain("At most five coins.")
    expect((await after.session.history())[0]?.speaker).toMatchObject({ id: "u7", name: "Bob" })
  })

  test("words that were heard meanwhile stand behind the question and in front of the answer", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), finish("Paid.")])
    const id = idOf(await session.send("Pay Ada.").result)
    await session.hear("Nice weather.")
    await session.approve(id).result
    expect((await session.history()).map(({ text }) => text)).toEqual(["Pay Ada.", "Nice weather.", "Paid."])
  })
})

describe("an answer that cannot count is a clear error, and nothing runs", () => {
  const fault = (result: TurnResult) => (!result.ok && result.error.code === "approval" ? result.error.evidence.fault : result)

  test("twice", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), finish("Paid.")])
    const id = idOf(await session.send("Pay.").result)
    const [one, two] = await Promise.all([session.approve(id).result, session.approve(id).result])
    expect([one.ok, fault(two)]).toEqual([true, "answered"])
    expect(fault(await session.deny(id).result)).toBe("answered")
    expect(sent).toEqual(["Ada"])
  })

  test("of two processes at the same time, exactly one runs the call", async () => {
    const store = createInMemoryStore()
    const id = idOf(await over(store, [callTool("pay", { to: "Ada" })]).session.send("Pay.").result)
    const [one, two] = [over(store, [finish("Paid.")]), over(store, [])]
    const results = await Promise.all([one.session.approve(id).result, two.session.approve(id).result])
    expect(results.map((result) => result.ok || fault(result))).toEqual([true, "claimed"])
    expect(sent).toEqual(["Ada"])
  })

  test("for another conversation, or for nothing", async () => {
    const store = createInMemoryStore()
    const { session, agent } = over(store, [callTool("pay", { to: "Ada" })])
    const id = idOf(await session.send("Pay.").result)
    expect(fault(await agent.session("elsewhere").approve(id).result)).toBe("unknown")
    expect(fault(await session.approve("none").result)).toBe("unknown")
    expect(await session.approvals()).toHaveLength(1)
  })

  test("for a tool that changed meanwhile, or is gone; it can still be refused", async () => {
    const store = createInMemoryStore()
    const id = idOf(await over(store, [callTool("pay", { to: "Ada" })]).session.send("Pay.").result)
    expect(fault(await over(store, [], {}, [pay("sends all money")]).session.approve(id).result)).toBe("tool-changed")
    expect(fault(await over(store, [], {}, [look]).session.approve(id).result)).toBe("tool-gone")
    const last = over(store, [finish("Fine.")], {}, [look])
    expect(await last.session.deny(id).result).toMatchObject({ ok: true, text: "Fine." })
    expect(sent).toEqual([])
  })
})

describe("a message meanwhile", () => {
  test("withdraws the question, and the model is told", async () => {
    const { session, model } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), finish("Never mind, then.")])
    const id = idOf(await session.send("Pay Ada.").result)
    expect(await session.send("Wait, no.").result).toMatchObject({ ok: true, text: "Never mind, then." })
    expect(shown(model.requests[1])).toContain('you wanted to call "pay(to=Ada)" and asked the user for consent. It did not run')
    expect(shown(model.requests[1])).toContain("Pay Ada.")
    expect(await session.approvals()).toEqual([])
    expect(await session.approve(id).result).toMatchObject({
      ok: false,
      error: {
        code: "approval",
        message: expect.stringContaining("was answered before, or withdrawn."),
        evidence: { fault: "answered" },
      },
    })
  })

  test("withdraws also what was allowed and waited for another answer: it did not run", async () => {
    const calls = [native("a", "pay", { to: "Ada" }), native("b", "look", { at: "sky" }), native("c", "pay", { to: "Bob" })]
    const { session, model } = over(createInMemoryStore(), [calls, "Well."], { loop: { mode: "native" } })
    const asked = await session.send("?").result
    await session.approve(idOf(asked)).result
    expect(await session.send("Wait, no.").result).toMatchObject({ ok: true, text: "Well." })
    const told = shown(model.requests[1]).match(/you wanted to call .*/gu)
    expect(told).toHaveLength(2)
    expect(told?.map((line) => line.includes("It did not run"))).toEqual([true, true])
    expect(sent).toEqual([])
  })

  test.each(["json", "native"] as const)(
    "T63 tells also what was allowed and ran before, which history does not have (%s)",
    async (mode) => {
      const call = (id: string, to: string) => (mode === "json" ? callTool("pay", { to }) : [native(id, "pay", { to })])
      const steps = [call("a", "Ada"), call("b", "Bob"), mode === "json" ? finish("Well.") : "Well."]
      const { session, model } = over(createInMemoryStore(), steps, { loop: { mode } })
      const asked = await session.send("Pay both.").result
      await session.approve(idOf(asked)).result
      await session.send("Wait, no.").result
      expect(sent).toEqual(["Ada"])
      expect(shown(model.requests.at(-1))).toContain('you wanted to call "pay(to=Bob)"')
      expect(shown(model.requests.at(-1))).toContain('you called "pay(to=Ada)". It ran. Its result: Ada has it')
    },
  )

  test("with an option that an answer does not have is refused by the name of the answer", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" })])
    const id = idOf(await session.send("Pay Ada.").result)
    expect(() => session.deny(id, "", { reason: "x" } as never)).toThrow(noOption("deny", "reason"))
    expect(() => session.approve(id, { reason: "x" } as never)).toThrow(noOption("approve", "reason"))
  })

  test("withdraws nothing if its turn fails", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), [new Error("down")], finish("Paid.")])
    const id = idOf(await session.send("Pay Ada.").result)
    expect(await session.send("Wait.").result).toMatchObject({ ok: false })
    expect(await session.approve(id).result).toMatchObject({ ok: true, text: "Paid." })
  })

  test("waits for the answer where the profile says so, and can be aborted", async () => {
    const profile = { tools: { whileAsked: "wait" as const } }
    const { session, timers } = over(
      createInMemoryStore(),
      [callTool("pay", { to: "Ada" }), finish("Paid."), finish("You are welcome.")],
      profile,
    )
    const id = idOf(await session.send("Pay Ada.").result)
    const given = session.send("Never.")
    const waiting = session.send("Thanks!")
    await expect.poll(() => timers.pending).toBeGreaterThan(1)
    given.abort()
    expect(await given.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(await session.approve(id).result).toMatchObject({ ok: true, text: "Paid." })
    timers.advance(1_000)
    expect(await waiting.result).toMatchObject({ ok: true, text: "You are welcome." })
    const texts = (await session.history()).map(({ text }) => text)
    expect(texts).toEqual(["Pay Ada.", "Never.", "Thanks!", "Paid.", "You are welcome."])
  })

  test("of a wake leaves the question open", async () => {
    const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" }), finish("Good morning."), finish("Paid.")])
    const id = idOf(await session.send("Pay Ada.").result)
    await session.wake("It is morning.").result
    expect(await session.approve(id).result).toMatchObject({ ok: true, text: "Paid." })
  })

  test("T63 of a wake that would have to ask leaves it open too: its call is refused, until nobody can answer any more", async () => {
    const call = (to: string) => callTool("pay", { to })
    const clock = manualClock(0)
    const steps = [call("Ada"), call("Bob"), finish("I may not."), finish("Paid."), call("Cid"), call("Dan")]
    const { session } = over(createInMemoryStore(), steps, {}, undefined, clock)
    const id = idOf(await session.send("Pay Ada.").result)
    const wake = await session.wake("The rent is due.").result
    expect(wake).toMatchObject({ ok: true, text: "I may not.", trace: { runs: [{ failure: "denied" }] } })
    expect(await session.approve(id).result).toMatchObject({ ok: true, text: "Paid." })
    await session.send("Pay Cid.").result
    clock.advance(604_800_001)
    expect(await session.wake("The rent is due.").result).toMatchObject({ approvals: [{ args: { to: "Dan" } }] })
    expect(sent).toEqual(["Ada"])
  })
})

test("setting the turn aside closes its question, and a copy of the conversation has none", async () => {
  const { session, agent } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" })])
  await session.send("Pay Ada.").result
  await session.fork("copy")
  expect(await agent.session("copy").approvals()).toEqual([])
  await session.clear()
  expect(await session.approvals()).toEqual([])
})

test("beginning anew closes also the question of a wake, of which the history has no message", async () => {
  const { session } = over(createInMemoryStore(), [callTool("pay", { to: "Ada" })])
  const id = idOf(await session.wake("The rent is due.").result)
  await session.clear()
  expect(await session.approvals()).toEqual([])
  expect(await session.approve(id).result).toMatchObject({ error: { evidence: { fault: "answered" } } })
  expect(sent).toEqual([])
})

test("going back to the last turn closes the question of a wake behind it, but not that of the turn itself", async () => {
  const { session } = over(createInMemoryStore(), [
    finish("Hello."),
    callTool("pay", { to: "Ada" }),
    callTool("pay", { to: "Bob" }),
  ])
  const { trace } = await session.send("Hi.").result
  await session.wake("The rent is due.").result
  await session.rewind(trace.turnId)
  expect(await session.approvals()).toEqual([])
  const asked = await session.send("Pay Bob.").result
  await session.rewind(asked.trace.turnId)
  expect(await session.approvals()).toMatchObject([{ args: { to: "Bob" } }])
  expect((await session.history()).map(({ text }) => text)).toEqual(["Hi.", "Hello.", "Pay Bob."])
})

test("an answer of the model that fails after the call ran: the call is never run again, and the next turn knows its result", async () => {
  const { session, model } = over(createInMemoryStore(), [
    callTool("pay", { to: "Ada" }),
    [new Error("down")],
    finish("She has it."),
  ])
  const id = idOf(await session.send("Pay Ada.").result)
  expect(await session.approve(id).result).toMatchObject({ ok: false, error: { code: "model" } })
  expect(await session.approve(id).result).toMatchObject({
    ok: false,
    error: { code: "approval", evidence: { fault: "claimed" } },
  })
  expect(await session.send("And?").result).toMatchObject({ ok: true, text: "She has it." })
  expect(shown(model.requests.at(-1))).toContain("It ran, but your answer was lost. Its result: Ada has it")
  expect(sent).toEqual(["Ada"])
})
