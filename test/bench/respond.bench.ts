import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { ChatMessage } from "../../src/loop/agent/stateless/past-messages.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, isWithin, median, ratioGate } from "./measure.ts"
import { callsOf } from "./turn-path.ts"

const warmUp = 10
const rounds = 25
const tries = 3
/** So many turns are one measurement, because a single one is too short for a clock of CPU time. */
const atOnce = 8
const earlier = 20
const most = 1.3

/** CPU of a turn over a conversation that the caller keeps, beside one of a session with the same messages. */
export async function run(): Promise<BenchResult> {
  const ways = [respondedTurns, keptTurns].map((make) => make())
  let ms: number[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    ms = await measured(ways)
    if (isWithin(most)(ms)) break
  }
  const [responded = Number.NaN, kept = Number.NaN] = ms
  const [ofResponded = Number.NaN, ofKept = 1] = await calls(ways)
  return {
    title: `A turn's CPU over ${earlier} messages that the caller keeps (median of ${rounds} times ${atOnce}, in turn)`,
    rows: [
      { way: "session.send, kept", CPU: formatMs(kept / atOnce), "to the kept turn": "" },
      { way: "agent.respond", CPU: formatMs(responded / atOnce), "to the kept turn": formatRatio(responded, kept) },
    ],
    gates: [
      ratioGate("respond, beside a kept turn", ms, most),
      {
        name: `respond makes at most ${most} times as many calls as a kept turn`,
        ok: ofResponded <= most * ofKept,
        detail: `${ofResponded} and ${ofKept}`,
      },
    ],
  }
}

/** The median CPU of each way's turns. Preparing them is not measured. */
async function measured(ways: readonly Way[]): Promise<number[]> {
  const times = ways.map((): number[] => [])
  for (let round = 0; round < warmUp + rounds; round++)
    // By turns the one and the other first, because the second one finds the caches warm.
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const says: (() => Promise<void>)[] = []
      for (let turn = 0; turn < atOnce; turn++) says.push((await ways[at]?.()) ?? (() => Promise.resolve()))
      const tookMs = await cpuMsAlone(async () => {
        for (const say of says) await say()
      })
      if (round >= warmUp) times[at]?.push(tookMs)
    }
  return times.map(median)
}

/** Prepares a turn over the same messages each time, which is then run. */
type Way = () => Promise<() => Promise<void>>

async function calls(ways: readonly Way[]): Promise<number[]> {
  const found: number[] = []
  for (const prepare of ways) {
    const say = await prepare()
    found.push(await callsOf(say))
  }
  return found
}

const profile = resolveProfile({ dialect: "layered", locale: "en", persona: "p", memory: { enabled: false } })
const messages: readonly ChatMessage[] = Array.from({ length: earlier + 1 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: `Words number ${at} of a conversation.`,
}))

function keptTurns(): Way {
  const store = createInMemoryStore()
  const agent = createAgent({ profile, model, store })
  let conversations = 0
  return async () => {
    const session = agent.session(`kept ${++conversations}`)
    const append = messages.slice(0, earlier).map(({ role, content: text }, at) => {
      const speaker = role === "user" ? { id: "ann", name: "Ann" } : { id: session.key.agent, name: "Fay" }
      return { role, text, speaker, turnId: `earlier-${at >> 1}`, atMs: at * 60_000 }
    })
    await store.commit(session.key, { expectVersion: 0, append, state: {}, jobs: [] })
    return async () => expectAnswer(await session.send(messages[earlier]?.content ?? "").result)
  }
}

function respondedTurns(): Way {
  const agent = createAgent({ profile, model })
  return async () => async () => expectAnswer(await agent.respond(messages).result)
}

function expectAnswer(result: { readonly ok: boolean }): void {
  if (!result.ok) throw new Error("A turn failed.")
}

const model: LanguageModel = {
  id: "brief",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: '{"action":"finish","message":"I see."}' }
    yield { type: "finish", reason: "stop" }
  },
}
