import { expect, test } from "vitest"
import type { TurnSpending } from "../../src/core/conversation.ts"
import type { Usage } from "../../src/core/model/language-model.ts"
import { agentTool } from "../../src/loop/agent/child/agent-tool.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { type ScriptedAnswer, type ScriptedStep, scriptedModel } from "../../src/testing/index.ts"
import { callTool, finish, testAgent } from "./agents.ts"

/** An answer with the usage that its provider tells. */
const used = (text: string, usage: Usage): ScriptedAnswer => [text, { type: "usage", usage }, { type: "finish", reason: "stop" }]
const tokens = (inputTokens: number, outputTokens = 1): Usage => ({ inputTokens, outputTokens })
const plain = { dialect: "layered", locale: "en", memory: { enabled: false }, output: { bubbles: true } } as const

async function rowsOf(store: Store): Promise<readonly Record<string, never>[]> {
  const rows: Record<string, never>[] = []
  for await (const line of store.export({ agent: "test" })) rows.push(JSON.parse(line))
  return rows
}

/** What a store holds of the cost of turns, in its messages and in receipts. */
async function spentIn(store: Store) {
  const rows = await rowsOf(store)
  const messages = rows.flatMap(({ message }: { message?: Record<string, unknown> }) =>
    message?.spent ? [message.spent as TurnSpending] : [],
  )
  const receipts = rows.flatMap(({ receipt }: { receipt?: { value?: { spent?: TurnSpending } } }) => receipt?.value?.spent ?? [])
  return { messages, receipts }
}

/** Rules of what a store keeps of the cost of turns. `open` opens an empty one. */
export function spending(open: () => Store | Promise<Store>): void {
  const talk = async (steps: readonly ScriptedStep[], options: Parameters<typeof testAgent>[2] = {}) => {
    const store = await open()
    return { store, ...testAgent(scriptedModel(steps, { id: "a:m" }), plain, { store, ...options }) }
  }

  test("T55 a turn keeps the calls of its models, its child agents' apart, and the tokens of its layers, with its first message", async () => {
    const child = agentTool({
      ...{ name: "helper", description: "Helps.", model: scriptedModel([used(finish("21"), tokens(30))], { id: "b:small" }) },
      profile: resolveProfile({ name: "helper", dialect: "layered", locale: "en", retry: { maxAttempts: 1 } }),
    })
    const steps = [
      used(callTool("helper", { request: "the weather" }), { ...tokens(100, 5), inputCacheReadTokens: 40 }),
      used(finish("It is 21."), tokens(200, 7)),
    ]
    const { session, store } = await talk(steps, { tools: [child] })
    const result = await session.send("How warm is it?", { from: { id: "ann", name: "Ann" } }).result
    const calls = [
      { model: "a:m", calls: 2, usage: { inputTokens: 300, inputCacheReadTokens: 40, outputTokens: 12 } },
      { model: "b:small", child: "helper", calls: 1, usage: tokens(30) },
    ]
    const kept = await spentIn(store)
    expect(kept).toEqual({ messages: [{ user: "ann", calls, layers: expect.anything() }], receipts: [] })
    const { layers } = kept.messages[0] as { layers: Record<string, number> }
    const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
    expect(sum(Object.values(layers))).toBe(sum(result.trace.steps.map(({ assembly }) => assembly.tokens)))
    expect(layers.question).toBeGreaterThan(0)
    expect(JSON.stringify(await session.history())).not.toContain("spent")
    await store.close()
  })

  test("T55 a turn of which no provider told the usage keeps nothing, so that it is not taken for free", async () => {
    const { session, store } = await talk([finish("Yes.")])
    await session.send("?").result
    expect(await spentIn(store)).toEqual({ messages: [], receipts: [] })
    await store.close()
  })

  test("T55 a turn that fails, or that says nothing, keeps what it used, too", async () => {
    const broken = [{ type: "usage", usage: tokens(50) }, new Error("gone")] as const
    const { session, store } = await talk([broken, used(finish("<empty_reply>"), tokens(60))])
    expect((await session.send("?").result).ok).toBe(false)
    expect(await session.wake("It is eight.").result).toMatchObject({ ok: true, text: "" })
    const { messages, receipts } = await spentIn(store)
    expect(messages).toEqual([])
    expect(receipts).toMatchObject([{ calls: [{ usage: tokens(50) }] }, { calls: [{ usage: tokens(60) }] }])
    await store.close()
  })

  test("T55 a copy of a message costs nothing: a fork, and an answer that was edited", async () => {
    const { session, store } = await talk([used(finish("Yes."), tokens(50)), used(finish("No."), tokens(60))])
    await session.send("?").result
    const [, answer] = await session.history()
    await session.edit(answer?.id ?? "", "Perhaps.")
    await session.fork("copy")
    await session.regenerate().result
    const { messages } = await spentIn(store)
    const all = (messages as readonly TurnSpending[]).flatMap(({ calls }) => calls)
    expect(all.map(({ usage }) => usage.inputTokens).sort()).toEqual([50, 60])
    expect(messages).toHaveLength(4)
    await store.close()
  })
}
