import type { Attachment, HistoryMessage, SessionKey } from "../../src/core/conversation.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"
import { callsOf } from "./turn-path.ts"

const warmUp = 20
const turns = 60
const pictures = 1_000
const most = 1.2
const key: SessionKey = { agent: "test", conversation: "bench", audience: "private" }

/** The messages that a turn may show: by default, and so many that all pictures are among them. */
const windows = [20, 2 * pictures] as const

/** CPU of a turn over a session in which each of 1,000 old messages has a picture, beside one without. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const rows: Row[] = []
  if (peers) for (const window of windows) rows.push(await row(window))
  const calls: number[] = []
  let reads = 0
  for (const hasPictures of [false, true]) {
    const talk = await talkOver(windows[0], hasPictures)
    for (let turn = 0; turn < warmUp; turn++) await talk.say(turn)
    talk.counts.reads = 0
    calls.push(await callsOf(() => talk.say(warmUp)))
    reads = talk.counts.reads
  }
  const [without = 1, having = 1] = calls
  return {
    title: `A turn's CPU over ${pictures.toLocaleString("en")} old pictures (median of ${turns}, in turn)`,
    rows,
    gates: [
      {
        name: `a turn over ${pictures} old pictures makes at most ${most} times as many calls as one without`,
        ok: having <= most * without,
        detail: `${having} and ${without}`,
      },
      { name: "a turn reads only the bytes of the pictures that it shows", ok: reads <= 8, detail: `${reads}` },
    ],
  }
}

async function row(window: number): Promise<Row> {
  const talks = [await talkOver(window, false), await talkOver(window, true)]
  const times: number[][] = [[], []]
  for (let turn = 0; turn < warmUp + turns; turn++)
    // By turns the one and the other first, because the second one finds the caches warm.
    for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const tookMs = await cpuMsAlone(() => talks[at]?.say(turn))
      if (turn >= warmUp) times[at]?.push(tookMs)
    }
  const [without = 0, having = 0] = times.map(median)
  return {
    context_count: window.toLocaleString("en"),
    without: formatMs(without),
    "with pictures": formatMs(having),
    ratio: formatRatio(having, without),
  }
}

async function talkOver(contextCount: number, hasPictures: boolean) {
  const made = createInMemoryStore()
  const counts = { reads: 0 }
  const get: Store["blobs"]["get"] = (...given) => {
    counts.reads++
    return made.blobs.get(...given)
  }
  const append: HistoryMessage[] = []
  for (let at = 0; at < 2 * pictures; at++) {
    const [role, speaker] = at % 2 === 0 ? (["user", "Ann"] as const) : (["assistant", "Fay"] as const)
    const said = { role, text: `Words number ${at} of a long conversation.`, speaker: { id: speaker, name: speaker } }
    const message = { ...said, turnId: `turn-${at >> 1}`, atMs: at * 60_000 }
    append.push(hasPictures && role === "user" ? { ...message, attachments: [await picture(made, at)] } : message)
  }
  await made.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
  const profile = resolveProfile({
    name: "test",
    dialect: "layered",
    locale: "en",
    persona: "p",
    agent: { id: key.agent },
    memory: { enabled: false },
    history: { contextCount },
  })
  const session = createAgent({ profile, model, store: { ...made, blobs: { ...made.blobs, get } } }).session(key.conversation)
  return {
    counts,
    async say(turn: number) {
      const result = await session.send(`Words of turn ${turn}.`).result
      if (!result.ok) throw result.error
    },
  }
}

async function picture({ blobs }: Store, at: number): Promise<Attachment> {
  const { id } = await blobs.put(new TextEncoder().encode(`picture ${at}`), key)
  return { name: `${at}.png`, mediaType: "image/png", blob: id, sizeBytes: 100_000, width: 640, height: 480 }
}

const model: LanguageModel = {
  id: "seeing",
  capabilities: { developerRole: false, tools: false, attachments: ["image/*"] },
  async *stream() {
    yield { type: "text-delta", delta: '{"action":"finish","message":"I see."}' }
    yield { type: "finish", reason: "stop" }
  },
}
