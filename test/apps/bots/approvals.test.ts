import { afterEach, expect, test } from "vitest"
import { z } from "zod"
import type { BotChat, BotQuestion } from "../../../src/apps/bots/deliver-turn.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../../src/prompt/tools/tool.ts"
import { expectScriptsDone, type ManualClock, manualClock, scriptedModel } from "../../../src/testing/index.ts"
import type { ApprovalQuestion } from "../../../src/trace/approval-question.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { takeMessage } from "../../support/take-message.ts"

afterEach(expectScriptsDone)
const [ann, bob] = [
  { id: "ann", name: "Ann" },
  { id: "bob", name: "Bob" },
]

/** A bot in a group with a tool that needs approval. A second one over the same store is the bot after a restart. */
function groupBot(
  answers: readonly string[],
  options: Partial<BotChat> & { readonly profile?: ProfileInput; readonly tools?: readonly Tool[] } = {},
  before?: Earlier,
) {
  const { profile, tools, ...more } = options
  const store = before?.store ?? createInMemoryStore()
  const paid: string[] = before?.paid ?? []
  const clock = before?.clock ?? manualClock(0)
  const pay = defineTool({
    name: "pay",
    description: "Sends money.",
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => `${paid.push(to)} payments`,
  })
  const ids = { next: (prefix: string) => `${prefix}-${++count}` }
  const { agent } = testAgent(
    scriptedModel(answers),
    { memory: { enabled: false }, locale: "en", ...profile },
    { store, tools: tools ?? [pay], ports: { ids, clock } },
  )
  const sent: string[] = []
  const asked: ApprovalQuestion[] = []
  const chat: BotChat = { limit: 4096, sendText: (text) => void sent.push(text), onError: () => undefined, ...more }
  const say = (text: string, from = ann, over: Partial<BotChat> = {}) =>
    takeMessage(agent.session({ conversation: "c", audience: "group" }), { id: "1", text, from }, { ...chat, ...over })
  return { store, paid, clock, sent, asked, say, agent }
}
let count = 0
type Bot = ReturnType<typeof groupBot>

/** What outlives a bot's process, and what its tool did. */
interface Earlier {
  readonly store: Store
  readonly paid: string[]
  readonly clock: ManualClock
}

const ask = (bot: Bot) => ({ ask: (question: BotQuestion) => void bot.asked.push(question as ApprovalQuestion) })

test("N11 a call that waits is asked about in words, and their code answers it, also after a restart", async () => {
  const before = groupBot([callTool("pay", { to: "Eve" })])
  await before.say("Pay Eve.")
  expect(before.sent).toEqual([
    expect.stringMatching(/^Ann, may I do this\? pay\(to=Eve\)\nThe question waits 7 days\.\nAnswer "Yes (\w{6})" or "No \1"\.$/),
  ])
  const code = /Yes (\w{6})/.exec(before.sent[0] ?? "")?.[1] ?? ""
  const after = groupBot([finish("Paid.")], {}, before)
  expect(await after.say(`  yes ${code.toLowerCase()}! `)).toMatchObject({ ok: true, text: "Paid." })
  expect([after.paid, after.sent]).toEqual([["Eve"], ["Paid."]])
})

test("N11 a button says the words of its choice, and a second press runs nothing", async () => {
  const bot = groupBot([callTool("pay", { to: "Eve" }), finish("Paid.")])
  await bot.say("Pay Eve.", ann, ask(bot))
  expect(bot.sent).toEqual([])
  const [question] = bot.asked
  expect(question).toMatchObject({ tool: "pay", args: { to: "Eve" }, mayAnswer: ann, untilMs: 604_800_000 })
  expect(question?.question).not.toContain(question?.code)
  expect(question?.choices.map(({ label, approved }) => [label, approved])).toEqual([
    ["Yes", true],
    ["No", false],
  ])
  const yes = question?.choices[0]?.say ?? ""
  expect(Buffer.byteLength(yes)).toBeLessThan(64)
  await Promise.all([bot.say(yes), bot.say(yes)])
  expect(bot.paid).toEqual(["Eve"])
  expect(bot.sent.toSorted()).toEqual(["Paid.", "That question was answered already, or it is no longer open."])
})

test("N11 another member is refused, typed or pressed, and an operator is not", async () => {
  const bot = groupBot([callTool("pay", { to: "Eve" }), finish("As you wish.")])
  await bot.say("Pay Eve.", ann, ask(bot))
  const code = bot.asked[0]?.code
  await bot.say(`yes ${code}`, bob)
  await bot.say(`no ${code}`, bob)
  expect([bot.paid, bot.sent.splice(0)]).toEqual([[], Array(2).fill("That question is for somebody else to answer.")])
  const result = await bot.say(`no ${code}: too much`, bob, { operators: ["bob"] })
  expect(result).toMatchObject({ ok: true, text: "As you wish.", trace: { runs: [{ failure: "denied" }] } })
  expect(bot.paid).toEqual([])
})

test("N11 an answer that comes too late says so, and the next message goes on without it", async () => {
  const profile = { tools: { whileAsked: "wait" }, limits: { approvalMs: 60_000 } } as const
  const bot = groupBot([callTool("pay", { to: "Eve" }), finish("Hello.")], { profile })
  await bot.say("Pay Eve.", ann, ask(bot))
  bot.clock.advance(60_001)
  await bot.say(bot.asked[0]?.choices[0]?.say ?? "")
  expect(bot.sent.splice(0)).toEqual(["That question has waited too long, so nothing was done. Please ask me again."])
  await bot.say("Hi.")
  expect([bot.paid, bot.sent]).toEqual([[], ["Hello."]])
})

const changed = defineTool({ name: "pay", description: "Sends all money.", inputSchema: z.object({}), execute: () => "all" })
test.each([[[]], [[changed]]])(
  "N11 an answer about a tool that is gone or has changed is told, and runs nothing",
  async (tools) => {
    const before = groupBot([callTool("pay", { to: "Eve" })])
    await before.say("Pay Eve.", ann, ask(before))
    const after = groupBot([], { tools }, before)
    await after.say(before.asked[0]?.choices[0]?.say ?? "")
    expect([after.paid, after.sent]).toEqual([
      [],
      ["What I wanted to do has changed since I asked, so I did not do it. Please ask me again."],
    ])
  },
)

test("N11 a code that nobody was asked by is told, and a yes without a code is a message", async () => {
  const bot = groupBot([finish("Good.")])
  await bot.say("yes B2C3D4")
  await bot.say("yes please")
  expect(bot.sent).toEqual(["That question was answered already, or it is no longer open.", "Good."])
})
