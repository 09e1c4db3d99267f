import { expect, onTestFinished, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import type { MessageRecord } from "../../../src/apps/bots/inbox.ts"
import { listen } from "../../../src/apps/server/listen.ts"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { type Child, startChild } from "../../adapters/stores/sqlite/support/children.ts"
import { startTelegram, token } from "../../examples/support/telegram-server.ts"
import { chatChunk, eventStream } from "../../support/chat-server.ts"
import { diceOf } from "../../support/dice.ts"
import { amount, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import type { BotWork } from "./support/bot-child.ts"

const script = new URL("./support/bot-child.ts", import.meta.url)
/** Longer than any lease. */
const lifeMs = 600_000

/** The decision of a model that pays what it was asked to, says so in two bubbles, and goes on where it was cut off. */
function decisionFor(prompt: string): object {
  const n = Number([...prompt.matchAll(/pay #(\d+)/g)].at(-1)?.[1])
  const asked = prompt.slice(prompt.lastIndexOf(`pay #${n}`))
  const say = (message: string) => ({ action: "finish", message })
  if (prompt.includes(`First #${n}.`) || prompt.includes(`Perhaps #${n}.`)) return say(`Second #${n}.`)
  if (asked.includes("outcome is unknown")) return say(`Perhaps #${n}.@br Second #${n}.`)
  if (asked.includes(`paid #${n}`)) return say(`First #${n}.@br Second #${n}.`)
  return { action: "tool", tool: "pay", args: { n } }
}

/** Kills a bot at a random point of what it does outside, or a little later, and counts what that can have cost. */
test("N23 bots that are killed at random points answer each message, twice only what was not recorded yet, and pay at most once", async () => {
  const dice = diceOf(mulberry32(seedOf(23)))
  const folder = tempFolder()
  let child: Child | undefined
  let left = Number.POSITIVE_INFINITY
  /** Counts down to the end of the bot. A bot that is dead gets no answers. */
  const at = async (): Promise<void> => {
    const own = child
    left--
    if (left > 0) return
    const rounds = dice.chance(0.5) ? 0 : dice.below(400)
    const kill = async () => {
      for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve))
      own?.process.kill("SIGKILL")
    }
    if (left === 0) void kill()
    if (rounds === 0) await own?.ended
  }
  const telegram = await startTelegram({ at })
  const paid: number[] = []
  const prompts: string[] = []
  const server = await listen(
    async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      await at()
      if (pathname === "/bank") {
        const n = Number(searchParams.get("n"))
        paid.push(n)
        await at()
        return new Response(`paid #${n}`)
      }
      const prompt = JSON.stringify(((await request.json()) as { readonly messages: unknown }).messages)
      prompts.push(prompt)
      const body = eventStream([chatChunk({ content: JSON.stringify(decisionFor(prompt)) })])
      await at()
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    },
    { host: "127.0.0.1", port: 0 },
  )
  onTestFinished(() => server.close(AbortSignal.abort()))
  const address = `http://127.0.0.1:${server.port}`
  const work = { folder, telegram: `${telegram.url}/bot${token}`, model: `${address}/v1`, bank: `${address}/bank` }
  const start = (life: number) => startChild(script, { ...work, aheadMs: life * lifeMs } satisfies BotWork)

  const textsSent = (from = 0) => telegram.sent.all.slice(from).map(({ fields }) => String(fields.text).trim())
  const timesOf = (text: string) => textsSent().filter((sent) => sent === text).length
  const ids: number[] = []
  const waiting = () => ids.filter((id) => timesOf(`Second #${id}.`) === 0)
  /** How often a message was taken by Telegram and not recorded by the bot when it was killed. */
  const lost = new Map<string, number>()
  const unknown = new Set<number>()
  const kills = amount("BOT_KILLS")
  for (let life = 0; life < kills; life++) {
    if (waiting().length < 3) {
      const id = ids.push(ids.length + 1)
      const chat = { id: 1 + dice.below(3), type: "private", first_name: "Ann" }
      telegram.push({ message: { message_id: id, date: 1, chat, from: chat, text: `pay #${id}` } })
    }
    const before = telegram.sent.all.length
    left = 1 + dice.below(10)
    child = start(life)
    expect(await child.ended).toBe("SIGKILL")
    await telegram.settled()
    const store = await openStore(folder)
    const records = (await store.wakes.list({ agent: "Mira" })).flatMap(({ kind, payload }) =>
      kind === "message-record" ? [payload as unknown as MessageRecord] : [],
    )
    await store.close()
    const recorded = new Set(records.map((record) => record.type === "sent" && record.text.trim()))
    for (const text of textsSent(before)) if (!recorded.has(text)) lost.set(text, (lost.get(text) ?? 0) + 1)
    const ended = new Set(records.map((record) => record.type === "ended" && record.run.id))
    for (const record of records) if (record.type === "began" && !ended.has(record.run.id)) unknown.add(Number(record.run.args.n))
  }
  left = Number.POSITIVE_INFINITY
  child = start(kills)
  while (waiting().length > 0) await telegram.sent.reach(telegram.sent.all.length + 1)
  child.process.kill("SIGTERM")
  expect(await child.ended).toBe(0)

  expect(textsSent().filter((text) => !/^(?:First|Perhaps|Second) #\d+\.$/.test(text))).toEqual([])
  const firstOf = (id: number) => (unknown.has(id) ? `Perhaps #${id}.` : `First #${id}.`)
  const expected = ids.flatMap((id) => [firstOf(id), `Second #${id}.`]).map((text) => [text, 1 + (lost.get(text) ?? 0)])
  expect(ids.flatMap((id) => [firstOf(id), `Second #${id}.`]).map((text) => [text, timesOf(text)])).toEqual(expected)
  expect(paid.length).toBe(new Set(paid).size)
  for (const id of unknown)
    expect(prompts.some((prompt) => prompt.slice(prompt.lastIndexOf(`pay #${id}`)).includes("outcome is unknown"))).toBe(true)
})
